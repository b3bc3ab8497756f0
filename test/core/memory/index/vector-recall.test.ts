import { describe, expect, it } from 'vitest';
import { VectorCodes } from '../../../../src/core/memory/index/vector-codes.ts';
import { toUnitVector } from '../../../../src/core/memory/index/unit-vector.ts';
import { cosine, randomNumbers, randomVector } from './test-vectors.ts';

const COUNT = 20_000;
const DIMENSIONS = 96;
const WANTED = 10;
const QUERIES = 10;
/** As many as a search has measured exactly. */
const NEAR = 60;

type Source = (random: () => number) => () => Float32Array;
const mixed = (center: Float32Array, spread: Float32Array, share: number) =>
  spread.map((value, i) => share * value + (center[i] ?? 0));

const sources: Record<string, Source> = {
  'in every direction alike': (random) => () => randomVector(random, DIMENSIONS),
  'in clusters': (random) => {
    const centers = Array.from({ length: 100 }, () => randomVector(random, DIMENSIONS));
    return () =>
      mixed(centers[Math.floor(random() * 100)] ?? new Float32Array(), randomVector(random, DIMENSIONS), 0.3);
  },
  'all to one side': (random) => {
    const center = randomVector(random, DIMENSIONS).map((value) => 3 * value);
    return () => mixed(center, randomVector(random, DIMENSIONS), 1);
  },
  'with one number that outweighs the others': (random) => () => {
    const vector = randomVector(random, DIMENSIONS);
    vector[5] = 30 + random();
    return vector;
  },
};

describe.each(Object.entries(sources))('vectors %s', (_, source) => {
  it('the vector index finds the same vectors as an exact comparison of all', () => {
    const next = source(randomNumbers(42));
    const unit = () => toUnitVector(next()) ?? new Float32Array();
    const codes = new VectorCodes(DIMENSIONS);
    const vectors = Array.from({ length: COUNT }, unit);
    for (const [id, vector] of vectors.entries()) codes.put(id, 0, vector);
    let found = 0;
    for (let run = 0; run < QUERIES; run++) {
      const query = unit();
      const near = new Set(codes.nearest(query, NEAR, undefined));
      const exact = vectors
        .map((vector, id) => ({ id, similarity: cosine(vector, query) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, WANTED);
      found += exact.filter(({ id }) => near.has(id)).length;
    }
    expect(found / (QUERIES * WANTED)).toBeGreaterThanOrEqual(0.99);
  });
});
