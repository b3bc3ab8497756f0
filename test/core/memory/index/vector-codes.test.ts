import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toUnitVector } from '../../../../src/core/memory/index/unit-vector.ts';
import { VectorCodes } from '../../../../src/core/memory/index/vector-codes.ts';
import { cosine, randomNumbers, randomVector } from './test-vectors.ts';

const unit = (values: ArrayLike<number>) => {
  const vector = toUnitVector(Float32Array.from(values));
  if (!vector) throw new Error('no direction');
  return vector;
};

describe('vectors in memory', () => {
  it('finds vectors of any dimensions in memory', () => {
    for (const dimensions of [1, 2, 3, 15, 16, 17, 31, 33, 384, 1000, 1536, 4095, 4096]) {
      const random = randomNumbers(dimensions);
      const codes = new VectorCodes(dimensions);
      const vectors = Array.from({ length: 40 }, () => unit(randomVector(random, dimensions)));
      for (const [id, vector] of vectors.entries()) codes.put(id, 0, vector);
      for (const [id, vector] of vectors.entries()) {
        const found = codes.nearest(vector, 1, undefined);
        expect(cosine(vectors[found[0] ?? -1] ?? [], vector), `${dimensions}: ${id}`).toBeGreaterThan(0.995);
      }
    }
  });

  it.each([1, 16, 384, 4096])('finds the largest products with %i dimensions', (dimensions) => {
    const codes = new VectorCodes(dimensions);
    const same = unit(Array.from({ length: dimensions }, () => 1));
    codes.put(
      1,
      0,
      same.map((value) => -value),
    );
    codes.put(2, 0, same);
    codes.put(3, 0, unit(Array.from({ length: dimensions }, (_, i) => (i === 0 ? 1 : 1e-6))));
    expect(codes.nearest(same, 3, undefined)[0]).toBe(2);
    expect(codes.nearest(same, 3, undefined)[2]).toBe(1);
  });

  it('orders equal vectors by id', () => {
    const codes = new VectorCodes(3);
    for (const id of [5000, 3, 4999, 7, 1]) codes.put(id, 0, unit([1, 2, 3]));
    for (let id = 6000; id < 9000; id++) codes.put(id, 0, unit([1, 2, 3]));
    expect(codes.nearest(unit([1, 2, 3]), 4, undefined)).toEqual([1, 3, 7, 4999]);
  });

  it('limits a search to groups of any size', () => {
    const random = randomNumbers(1);
    const codes = new VectorCodes(16);
    const query = unit(randomVector(random, 16));
    for (let id = 0; id < 5000; id++) codes.put(id, id % 1000, unit(randomVector(random, 16)));
    const found = codes.nearest(query, 100, new Set([7]));
    expect(found.toSorted((a, b) => a - b)).toEqual([7, 1007, 2007, 3007, 4007]);
    expect(codes.nearest(query, 100, new Set())).toEqual([]);
  });

  it('returns the same results after any changes', () => {
    const change = fc.record({ id: fc.nat(30), seed: fc.option(fc.nat(1000)) });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(change, { maxLength: 80 }),
        (dimensions, changes) => {
          const changed = new VectorCodes(dimensions);
          const expected = new Map<number, Float32Array>();
          for (const { id, seed } of changes) {
            if (seed === null) {
              changed.remove(id);
              expected.delete(id);
            } else {
              const vector = unit(randomVector(randomNumbers(seed), dimensions));
              changed.put(id, id % 3, vector);
              expected.set(id, vector);
            }
          }
          const fresh = new VectorCodes(dimensions);
          for (const [id, vector] of expected) fresh.put(id, id % 3, vector);
          const query = unit(randomVector(randomNumbers(77), dimensions));
          expect(changed.size).toBe(expected.size);
          for (const groups of [undefined, new Set([1]), new Set([0, 2])])
            expect(changed.nearest(query, 10, groups)).toEqual(fresh.nearest(query, 10, groups));
          expect(new Set(changed.nearest(query, 50, undefined))).toEqual(new Set(expected.keys()));
        },
      ),
    );
  });
});
