import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VectorIndex } from '../../../../src/core/memory/index/vector-index.ts';
import { findVectorExtension } from '../../../../src/core/memory/index/vector-extension.ts';
import { cosine, hashOf, openTestVectors, randomNumbers, randomVector } from './test-vectors.ts';
import { sized } from '../../../helpers/long.ts';

const query = (...values: number[]) => ({ model: 'm', values: Float32Array.from(values) });
const idsOf = (found: { id: number }[]) => found.map(({ id }) => id);

/** Measured inside SQLite where the extension is installed, and outside. */
const ways: [string, (() => string | undefined) | undefined][] = [
  ['with sqlite-vec', undefined],
  ['without an extension', () => undefined],
  ['with a file that is no extension', () => '/dev/null'],
];

describe.each(ways)('VectorIndex %s', (_, findExtension) => {
  it('finds the nearest vectors by cosine for any lengths', () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'chunks', findExtension);
    const ids = ['east', 'north', 'northeast', 'west', 'without'].map((text) => test.addChunk(text));
    const [east, north, northeast, west] = ids;
    test.put('m', { east: [9, 0], north: [0, 0.1], northeast: [2, 2], west: [-1, 0] });
    const found = index.search(query(2, 1), { limit: 10 });
    expect(idsOf(found)).toEqual([northeast, east, north, west]);
    for (const [n, expected] of [
      3 / Math.sqrt(10),
      2 / Math.sqrt(5),
      1 / Math.sqrt(5),
      -2 / Math.sqrt(5),
    ].entries())
      expect(found[n]?.similarity).toBeCloseTo(expected, 6);
    expect(idsOf(index.search(query(2, 1), { limit: 2 }))).toEqual([northeast, east]);
  });

  it('keeps similarities from -1 to 1 and orders ties by id', () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'chunks', findExtension);
    const random = randomNumbers(3);
    const values = randomVector(random, 100);
    const ids = Array.from({ length: 300 }, () => test.addChunk('same'));
    const opposite = test.addChunk('opposite');
    test.put('m', { same: values, opposite: values.map((value) => -3 * value) });
    const found = index.search({ model: 'm', values }, { limit: 400 });
    expect(idsOf(found)).toEqual([...ids, opposite]);
    for (const { similarity } of found) expect(Math.abs(similarity)).toBeLessThanOrEqual(1);
    expect(idsOf(index.search({ model: 'm', values }, { limit: 3 }))).toEqual(ids.slice(0, 3));
  });

  it('finds the same vectors as an exact comparison of all', () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'chunks', findExtension);
    const random = randomNumbers(4);
    const vectors = new Map<number, Float32Array>();
    test.database.exec('begin');
    for (let n = 0; n < 1500; n++) {
      const values = randomVector(random, 48);
      const id = test.addChunk(`text ${n}`);
      test.put('m', { [`text ${n}`]: values });
      vectors.set(id, values);
    }
    test.database.exec('commit');
    for (let n = 0; n < 20; n++) {
      const values = randomVector(random, 48);
      const exact = [...vectors].map(([id, vector]) => ({ id, similarity: cosine(vector, values) }));
      exact.sort((a, b) => b.similarity - a.similarity);
      const found = index.search({ model: 'm', values }, { limit: 20 });
      expect(idsOf(found)).toEqual(idsOf(exact.slice(0, 20)));
      for (const [rank, { similarity }] of found.entries())
        expect(similarity).toBeCloseTo(exact[rank]?.similarity ?? Number.NaN, 5);
    }
  });
});

describe('VectorIndex', () => {
  const extension = findVectorExtension();
  it.skipIf(extension === undefined)(
    'uses sqlite-vec when installed and allows no other extension afterwards',
    () => {
      using test = openTestVectors();
      const index = new VectorIndex(test.database, 'chunks');
      test.addChunk('text');
      test.put('m', { text: [1, 0] });
      index.search(query(1, 0), { limit: 1 });
      expect(test.database.prepare('select vec_version() as v').get()).toMatchObject({
        v: expect.any(String) as string,
      });
      expect(() => test.database.loadExtension(extension ?? '')).toThrow(/not allowed/);
    },
  );

  it('returns nothing when no vector can be compared', () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'chunks');
    test.addChunk('text');
    expect(index.canCompare(query(1, 0))).toBe(false);
    expect(index.search(query(1, 0), { limit: 5 })).toEqual([]);
    test.put('m', { text: [1, 0] });
    index.applyChange({ added: [1], removed: [] });
    expect(index.canCompare(query(1, 0))).toBe(true);
    expect(index.canCompare(query(1, 0, 0))).toBe(false);
    expect(index.canCompare(query(0, 0))).toBe(false);
    expect(index.canCompare(query(Number.NaN, 0))).toBe(false);
    expect(index.canCompare({ ...query(1, 0), model: 'n' })).toBe(false);
    expect(index.search(query(1, 0, 0), { limit: 5 })).toEqual([]);
    expect(index.search(query(0, 0), { limit: 5 })).toEqual([]);
    expect(index.search(query(Number.NaN, 0), { limit: 5 })).toEqual([]);
    expect(idsOf(index.search(query(1, 0), { limit: 5 }))).toEqual([1]);
  });

  it('limits a search to files at or below a path, not to similar names', () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'chunks');
    const paths = [
      '/a/b',
      '/a/b/c.md',
      '/a/b/c/d.md',
      '/a/b-c.md',
      '/a/b.md',
      '/a/b0',
      '/a/B/c.md',
      '/a/bc/d.md',
      '/é/ü.md',
    ];
    const byPath = new Map(paths.map((path) => [path, test.addChunk(path, path)]));
    test.put('m', Object.fromEntries(paths.map((path, n) => [path, [1, n]])));
    const under = (path: string) =>
      idsOf(index.search(query(1, 0), { limit: 10, under: path })).map(
        (id) => [...byPath].find(([, is]) => is === id)?.[0],
      );
    expect(under('/a/b')).toEqual(['/a/b', '/a/b/c.md', '/a/b/c/d.md']);
    expect(under('/a/b/')).toEqual(['/a/b', '/a/b/c.md', '/a/b/c/d.md']);
    expect(under('/a/b.md')).toEqual(['/a/b.md']);
    expect(under('/é')).toEqual(['/é/ü.md']);
    expect(under('/')).toEqual(paths);
    expect(under('/nowhere')).toEqual([]);
    expect(under('/a/%')).toEqual([]);
  });

  it('limits a search to the entries of a user', () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'entries');
    const [a, b, c] = [
      test.addEntry('one', 'user_a'),
      test.addEntry('two', 'user_b'),
      test.addEntry('two', 'user_a'),
    ];
    test.put('m', { one: [1, 0], two: [1, 1] });
    expect(idsOf(index.search(query(1, 0), { limit: 9 }))).toEqual([a, b, c]);
    expect(idsOf(index.search(query(1, 0), { limit: 9, ownerId: 'user_a' }))).toEqual([a, c]);
    expect(idsOf(index.search(query(1, 0), { limit: 9, ownerId: 'user_b' }))).toEqual([b]);
    expect(index.search(query(1, 0), { limit: 9, ownerId: 'user_c' })).toEqual([]);
  });

  it('keeps one model in memory and drops it when its vectors were removed', async () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'chunks');
    const [first, second] = [test.addChunk('first'), test.addChunk('second')];
    test.put('m', { first: [1, 0], second: [0, 1] });
    test.put('n', { first: [0, 0, 1], second: [0, 1, 0] });
    const other = { model: 'n', values: Float32Array.of(0, 1, 0) };
    expect(idsOf(index.search(query(1, 0), { limit: 2 }))).toEqual([first, second]);
    expect(idsOf(index.search(other, { limit: 2 }))).toEqual([second, first]);
    expect(idsOf(index.search(query(1, 0), { limit: 2 }))).toEqual([first, second]);
    expect(await index.missing('m', 9)).toEqual([]);
    await test.store.keepOnly('n');
    index.keepOnly('n');
    expect(index.canCompare(query(1, 0))).toBe(false);
    expect(await index.missing('m', 9)).toHaveLength(2);
    expect(idsOf(index.search(other, { limit: 2 }))).toEqual([second, first]);
    index.clear();
    expect(idsOf(index.search(other, { limit: 2 }))).toEqual([second, first]);
  });

  it('accepts other dimensions once the former vectors are gone', async () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'chunks');
    const before = test.addChunk('before');
    test.put('m', { before: [1, 0] });
    expect(idsOf(index.search(query(1, 0), { limit: 2 }))).toEqual([before]);
    test.removeChunk(before);
    index.applyChange({ added: [], removed: [before] });
    await test.store.keepOnly('m');
    const ids = [test.addChunk('first'), test.addChunk('second')];
    const long = (at: number) => Array.from({ length: 40 }, (_, n) => (n === at ? 1 : 0));
    index.applyChange({ added: test.put('m', { first: long(1), second: long(39) }).chunks, removed: [] });
    expect(idsOf(index.search(query(...long(39)), { limit: 2 }))).toEqual(ids.toReversed());
    expect(index.canCompare(query(1, 0))).toBe(false);
  });

  it('reads vectors in batches without missing concurrent changes', async () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'chunks');
    const texts = Array.from({ length: 2100 }, (_, n) => `text ${n}`);
    test.database.exec('begin');
    const ids = texts.map((text) => test.addChunk(text));
    test.put('m', Object.fromEntries(texts.map((text, n) => [text, [1, n]])));
    test.database.exec('commit');
    const isWarm = index.warm('m');
    const removed = [ids[3] ?? 0, ids[2000] ?? 0];
    for (const id of removed) test.removeChunk(id);
    index.applyChange({ added: [], removed });
    const late = test.addChunk('text 0');
    index.applyChange({ added: [late, ids[1500] ?? 0, ids[5] ?? 0], removed: [] });
    await isWarm;
    const expected = [...ids.filter((id) => !removed.includes(id)), late];
    const found = index.search(query(1, 0), { limit: 5000 });
    expect(found).toHaveLength(expected.length);
    expect(new Set(idsOf(found))).toEqual(new Set(expected));
    expect(index.count('m')).toBe(expected.length);
  });

  it('counts vectors equally in memory and on disk', () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'chunks');
    const ids = ['a', 'a', 'b', 'c', 'd'].map((text) => test.addChunk(text));
    test.put('m', { a: [1, 0], b: [0, 0], c: [0, 1], gone: [1, 1] });
    const both = () => {
      const fresh = new VectorIndex(test.database, 'chunks');
      expect(index.count('m')).toBe(fresh.count('m'));
      return index.count('m');
    };
    expect(both()).toBe(4);
    index.search(query(1, 0), { limit: 1 });
    expect(both()).toBe(4);
    test.put('m', { b: [1, 1], c: [0, 0] });
    index.applyChange({ added: ids, removed: [] });
    expect(both()).toBe(4);
    expect(idsOf(index.search(query(1, 0), { limit: 9 }))).toEqual(ids.slice(0, 3));
    for (const id of [ids[0] ?? 0, ids[3] ?? 0]) test.removeChunk(id);
    index.applyChange({ added: [], removed: [ids[0] ?? 0, ids[3] ?? 0] });
    expect(both()).toBe(2);
    expect(index.count('n')).toBe(0);
  });
});

describe('texts without a vector', () => {
  it('lists texts without a vector oldest first, once each, up to the limit', async () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'chunks');
    for (const text of ['b', 'a', 'b', 'c', 'a', 'd']) test.addChunk(text);
    const missing = async (limit = 9) => (await index.missing('m', limit)).map(({ text }) => text).join('');
    expect(await index.missing('m', 1)).toEqual([{ hash: hashOf('b'), text: 'b' }]);
    expect(await missing()).toBe('bacd');
    expect(await missing(3)).toBe('bac');
    test.put('m', { b: [1, 0], c: [0, 0] });
    expect(await missing()).toBe('ad');
    test.put('m', { a: [1, 0], d: [1, 0] });
    expect(await missing()).toBe('');
    index.applyChange({ added: [test.addChunk('a'), test.addChunk('e')], removed: [] });
    expect(await missing()).toBe('e');
    expect((await index.missing('n', 9)).map(({ text }) => text).join('')).toBe('bacde');
    expect(await missing()).toBe('e');
  });

  it('finds texts without a vector behind many with one, also for a reused id', async () => {
    using test = openTestVectors();
    const index = new VectorIndex(test.database, 'entries');
    test.database.exec('begin');
    for (let n = 0; n < 1600; n++) test.addEntry('same', 'user_a');
    test.database.exec('commit');
    test.put('m', { same: [1] });
    const last = test.addEntry('last', 'user_a');
    expect(await index.missing('m', 2)).toEqual([{ hash: hashOf('last'), text: 'last' }]);
    test.put('m', { last: [1] });
    expect(await index.missing('m', 2)).toEqual([]);
    test.database.prepare('delete from temp.entries where id = ?').run(last);
    expect(test.addEntry('new', 'user_a')).toBe(last);
    index.applyChange({ added: [last], removed: [last] });
    expect(await index.missing('m', 2)).toEqual([{ hash: hashOf('new'), text: 'new' }]);
  });
});

describe('any changes', () => {
  const text = fc.integer({ min: 0, max: 9 }).map((n) => `text ${n}`);
  const change = fc.oneof(
    fc.record({ type: fc.constant('add' as const), text, path: fc.constantFrom('/a/x', '/a/y', '/b/x') }),
    fc.record({ type: fc.constant('put' as const), text, seed: fc.nat(5) }),
    fc.record({ type: fc.constant('remove' as const), nth: fc.nat(20) }),
    fc.record({ type: fc.constant('tell again' as const), ids: fc.array(fc.nat(40), { maxLength: 5 }) }),
    fc.record({ type: fc.constant('clean' as const) }),
  );

  it('finds the same as a newly opened index after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 40 }), async (changes) => {
        using test = openTestVectors();
        const index = new VectorIndex(test.database, 'chunks');
        await index.warm('m');
        const ids: number[] = [];
        const removed: number[] = [];
        for (const step of changes) {
          if (step.type === 'add') {
            const id = test.addChunk(step.text, step.path);
            ids.push(id);
            index.applyChange({ added: [id], removed: [] });
          } else if (step.type === 'put') {
            const values = step.seed === 0 ? [0, 0, 0] : randomVector(randomNumbers(step.seed), 3);
            index.applyChange({ added: test.put('m', { [step.text]: values }).chunks, removed: [] });
          } else if (step.type === 'remove') {
            const [id] = ids.splice(step.nth % Math.max(1, ids.length), 1);
            if (id === undefined) continue;
            test.removeChunk(id);
            removed.push(id);
            index.applyChange({ added: [], removed: [id] });
          } else if (step.type === 'tell again') {
            index.applyChange({ added: step.ids, removed: step.ids.filter((id) => !ids.includes(id)) });
          } else await test.store.keepOnly('m');
        }
        const fresh = new VectorIndex(test.database, 'chunks');
        for (const under of [undefined, '/a', '/b/x']) {
          const found = index.search(query(1, 2, 3), { limit: 100, under });
          expect(found).toEqual(fresh.search(query(1, 2, 3), { limit: 100, under }));
          expect(idsOf(found).filter((id) => removed.includes(id))).toEqual([]);
        }
        expect(index.count('m')).toBe(fresh.count('m'));
        expect(await index.missing('m', 100)).toEqual(await fresh.missing('m', 100));
      }),
      { numRuns: sized(12, 60) },
    );
  });
});
