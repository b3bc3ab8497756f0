import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchMethod } from '../../../../src/contract/memory.ts';
import { IndexSearch } from '../../../../src/core/memory/index/index-search.ts';
import type { KeywordLimits, Ranked } from '../../../../src/core/memory/index/keyword-index.ts';
import { VectorIndex } from '../../../../src/core/memory/index/vector-index.ts';
import { openTestVectors, randomNumbers, randomVector } from './test-vectors.ts';

interface Keywords {
  ranked?: Ranked[];
  total?: number;
  best?: number;
}

/** A ranking by words that is given: of words it knows only whether there are any. */
function givenKeywords(
  { ranked = [], total = ranked.length, best = 10 }: Keywords,
  asked: KeywordLimits[] = [],
) {
  return {
    wordsOf: (text: string) => ({ words: text.split(/[^a-z]+/).filter(Boolean), leftOut: [] }),
    search(_: unknown, limits: KeywordLimits) {
      asked.push(limits);
      return { ranked: ranked.slice(0, limits.limit), total };
    },
    bestPossible: () => best,
  };
}

/** Chunks 1 to 5, by angle from the vector of the query, which is [1, 0]: 3, 1, 4, 5, 2; the 6th has no vector. */
const vectors = { one: [4, 3], two: [-1, 0], three: [1, 0], four: [3, 4], five: [0, 1] };
const similarities: Record<number, number> = { 1: 0.8, 2: -1, 3: 1, 4: 0.6, 5: 0 };
const vector = { model: 'm', values: Float32Array.of(1, 0) };
const base = { text: 'words', vector, maxResults: 10, minScore: 0 };

function openSearch(keywords: Keywords, asked?: KeywordLimits[]) {
  const test = openTestVectors();
  for (const text of [...Object.keys(vectors), 'six']) test.addChunk(text, `/notes/${text}.md`);
  test.put('m', vectors);
  const search = new IndexSearch({
    keywords: givenKeywords(keywords, asked),
    vectors: new VectorIndex(test.database, 'chunks'),
  });
  return { search, [Symbol.dispose]: () => test[Symbol.dispose]() };
}

const scores = (hits: { id: number; score: number }[]) =>
  hits.map(({ id, score }) => [id, Number(score.toFixed(6))]);

describe('search by words', () => {
  it('scores keyword hits as a share of an ideal match', () => {
    using test = openSearch({
      ranked: [
        { id: 6, points: 7.5 },
        { id: 2, points: 2.5 },
      ],
      total: 40,
    });
    const { method, totalCandidates, hits } = test.search.search({ ...base, vector: undefined });
    expect({ method, totalCandidates }).toEqual({ method: 'keyword', totalCandidates: 40 });
    expect(hits).toEqual([
      { id: 6, score: 0.75, keyword: { rank: 1, points: 7.5 } },
      { id: 2, score: 0.25, keyword: { rank: 2, points: 2.5 } },
    ]);
  });

  it.each([0, Number.NaN, -1, 5])('keeps scores from 0 to 1 when the ideal match is %d', (best) => {
    using test = openSearch({ ranked: [{ id: 6, points: 7.5 }], best });
    const [hit] = test.search.search({ ...base, method: 'keyword' }).hits;
    expect(hit?.score).toBe(best === 5 ? 1 : 0);
  });
});

describe('search by vectors', () => {
  it('scores vector hits by cosine, at least 0', () => {
    using test = openSearch({ ranked: [{ id: 6, points: 1 }] });
    const { method, totalCandidates, hits } = test.search.search({ ...base, method: 'vector' });
    expect({ method, totalCandidates }).toEqual({ method: 'vector', totalCandidates: 5 });
    expect(scores(hits)).toEqual([
      [3, 1],
      [1, 0.8],
      [4, 0.6],
      [5, 0],
      [2, 0],
    ]);
    for (const [index, { id, vector: found, keyword }] of hits.entries()) {
      expect(found?.rank).toBe(index + 1);
      expect(found?.similarity).toBeCloseTo(similarities[id] ?? Number.NaN, 6);
      expect(keyword).toBeUndefined();
    }
  });
});

describe('search by both', () => {
  it('scores hybrid hits by reciprocal rank fusion', () => {
    using test = openSearch({
      ranked: [4, 6, 3, 2].map((id, index) => ({ id, points: 9 - index })),
      total: 4,
    });
    const { method, totalCandidates, hits } = test.search.search(base);
    expect({ method, totalCandidates }).toEqual({ method: 'hybrid', totalCandidates: 6 });
    // By words 4, 6, 3, 2; by vectors 3, 1, 4, 5, 2.
    const most = 2 / 61;
    expect(scores(hits)).toEqual(
      [
        [3, (1 / 63 + 1 / 61) / most],
        [4, (1 / 61 + 1 / 63) / most],
        [2, (1 / 64 + 1 / 65) / most],
        [1, 1 / 62 / most],
        [6, 1 / 62 / most],
        [5, 1 / 64 / most],
      ].map(([id, score = 0]) => [id, Number(score.toFixed(6))]),
    );
    expect(hits[0]).toMatchObject({ keyword: { rank: 3, points: 7 }, vector: { rank: 1 } });
    expect(hits[4]).toMatchObject({ id: 6, keyword: { rank: 2, points: 8 } });
    expect(hits[4]?.vector).toBeUndefined();
    expect(hits[3]?.keyword).toBeUndefined();
  });

  it('scores a hit that is first in both rankings with 1', () => {
    using test = openSearch({ ranked: [{ id: 3, points: 1 }] });
    expect(scores(test.search.search(base).hits)[0]).toEqual([3, 1]);
  });

  it('requests more hits from each index and passes the limits on', () => {
    const asked: KeywordLimits[] = [];
    using test = openSearch({ ranked: [4, 6].map((id) => ({ id, points: 1 })) }, asked);
    const search = (maxResults: number) =>
      test.search.search({ ...base, maxResults, under: '/notes/one.md', ownerId: 'user_a' });
    expect(scores(search(1).hits)).toEqual([[1, 0.5]]);
    search(26);
    expect(asked).toEqual([100, 104].map((limit) => ({ limit, under: '/notes/one.md', ownerId: 'user_a' })));
  });
});

describe('the method', () => {
  const cases: [
    method: SearchMethod | undefined,
    text: string,
    model: string | undefined,
    used: SearchMethod,
  ][] = [
    [undefined, 'words', 'm', 'hybrid'],
    [undefined, 'words', undefined, 'keyword'],
    [undefined, 'words', 'without vectors', 'keyword'],
    [undefined, '?!', 'm', 'vector'],
    [undefined, '?!', undefined, 'keyword'],
    ['hybrid', 'words', 'm', 'hybrid'],
    ['hybrid', '?!', 'm', 'vector'],
    ['hybrid', 'words', undefined, 'keyword'],
    ['vector', 'words', 'm', 'vector'],
    ['vector', 'words', undefined, 'keyword'],
    ['vector', 'words', 'without vectors', 'keyword'],
    ['keyword', 'words', 'm', 'keyword'],
    ['keyword', '?!', 'm', 'keyword'],
  ];
  it.each(cases)('resolves method %s for "%s" with a vector of %s to %s', (method, text, model, used) => {
    using test = openSearch({ ranked: [{ id: 6, points: 1 }] });
    const query = { ...base, text, method, vector: model === undefined ? undefined : { ...vector, model } };
    const { method: was, words, hits } = test.search.search(query);
    expect(was).toBe(used);
    expect(words.words).toEqual(text === 'words' ? ['words'] : []);
    expect(hits.every((hit) => (used === 'keyword' ? !hit.vector : (hit.vector ?? hit.keyword)))).toBe(true);
  });

  it('uses keywords when the query has other dimensions', () => {
    using test = openSearch({ ranked: [{ id: 6, points: 1 }] });
    const longer = { model: 'm', values: Float32Array.of(1, 0, 0) };
    expect(test.search.search({ ...base, vector: longer }).method).toBe('keyword');
  });
});

describe('any query', () => {
  it('a search returns hits in order, within the limits, with scores from 0 to 1', () => {
    const points = fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constant(0));
    const ranking = fc.uniqueArray(fc.record({ id: fc.nat(200), points }), { selector: ({ id }) => id });
    using test = openTestVectors();
    const random = randomNumbers(9);
    test.database.exec('begin');
    for (let n = 0; n < 150; n++) {
      test.addChunk(`text ${n}`);
      test.put('m', { [`text ${n}`]: randomVector(random, 4) });
    }
    test.database.exec('commit');
    const found = new VectorIndex(test.database, 'chunks');
    fc.assert(
      fc.property(
        ranking,
        fc.oneof(points, fc.constantFrom(Number.NaN, Infinity)),
        fc.array(fc.float({ noNaN: false }), { minLength: 4, maxLength: 4 }),
        fc.constantFrom<(SearchMethod | undefined)[]>(undefined, 'keyword', 'vector', 'hybrid'),
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (ranked, best, values, method, maxResults, minScore) => {
          ranked.sort((a, b) => b.points - a.points || a.id - b.id);
          const search = new IndexSearch({ keywords: givenKeywords({ ranked, best }), vectors: found });
          const query = { text: 'words', vector: { model: 'm', values: Float32Array.from(values) } };
          const all = search.search({ ...query, method, maxResults, minScore: 0 });
          const { hits } = all;
          expect(hits.length).toBeLessThanOrEqual(maxResults);
          expect(all.totalCandidates).toBeGreaterThanOrEqual(hits.length);
          expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
          for (const [index, { score }] of hits.entries()) {
            expect(score >= 0 && score <= 1, `${score}`).toBe(true);
            expect(score).toBeLessThanOrEqual(hits[index - 1]?.score ?? 1);
          }
          const better = search.search({ ...query, method, maxResults, minScore });
          expect(better.hits).toEqual(hits.filter(({ score }) => score >= minScore));
        },
      ),
    );
  });
});
