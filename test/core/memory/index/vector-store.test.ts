import { describe, expect, it } from 'vitest';
import { hashOf, openTestVectors, type TestVectors } from './test-vectors.ts';

const stored = ({ database }: TestVectors) =>
  database
    .prepare('select model, hex(vector) as vector from vectors order by id')
    .all()
    .map(({ model, vector }) => `${String(model)} ${String(vector)}`);

describe('VectorStore', () => {
  it('returns the chunks and entries that share a stored vector', () => {
    using test = openTestVectors();
    const first = test.addChunk('same');
    const second = test.addChunk('same', '/other.md');
    test.addChunk('another');
    const entry = test.addEntry('same', 'user_a');
    expect(test.put('m', { same: [3, 4], gone: [1, 0] })).toEqual({
      chunks: [first, second],
      entries: [entry],
    });
    expect(stored(test)).toEqual(['m 9A99193FCDCC4C3F', 'm 0000803F00000000']);
  });

  it('replaces a vector and separates models', () => {
    using test = openTestVectors();
    test.put('m', { text: [1, 0] });
    test.put('n', { text: [1, 0, 0] });
    test.put('m', { text: [0, 5] });
    expect(stored(test)).toEqual(['m 000000000000803F', 'n 0000803F0000000000000000']);
  });

  it.each([
    ['fewer', [1]],
    ['more', [1, 2, 3]],
    ['no', []],
  ])('rejects a whole batch when one vector has %s dimensions', (_, values) => {
    using test = openTestVectors();
    test.put('m', { text: [1, 0] });
    expect(() => test.put('m', { good: [1, 1], bad: values })).toThrow(
      expect.objectContaining({
        code: 'conflict',
        message: `A vector of m has ${values.length} dimensions, where 2 were expected (at most 4096)`,
      }) as Error,
    );
    expect(stored(test)).toHaveLength(1);
  });

  it('accepts up to 4096 dimensions', () => {
    using test = openTestVectors();
    const ones = (length: number) => Array.from({ length }, () => 1);
    expect(() => test.put('m', { text: ones(4097) })).toThrow(/at most 4096/);
    expect(() => test.put('m', { text: [] })).toThrow(/has 0 dimensions/);
    test.put('m', { text: ones(4096) });
    expect(stored(test)).toHaveLength(1);
  });

  it.each([
    ['zeros', [0, 0]],
    ['NaN', [1, Number.NaN]],
    ['infinity', [1, Number.POSITIVE_INFINITY]],
  ])('stores %s as empty and replaces it later', (_, values) => {
    using test = openTestVectors();
    const chunk = test.addChunk('bad');
    expect(test.put('m', { bad: values, good: [1, 0] }).chunks).toEqual([chunk]);
    expect(stored(test)).toEqual(['m ', 'm 0000803F00000000']);
    test.put('m', { bad: [1, 0] });
    expect(stored(test)[0]).toBe('m 0000803F00000000');
  });

  it('keeps the direction of numbers that are very small or very large', () => {
    using test = openTestVectors();
    test.put('m', { small: [1e-30, 0], large: [0, 3e38] });
    expect(stored(test)).toEqual(['m 0000803F00000000', 'm 000000000000803F']);
  });

  it('removes many vectors of other models and of removed texts', async () => {
    using test = openTestVectors();
    const texts = Array.from({ length: 1200 }, (_, n) => `text ${n}`);
    test.database.exec('begin');
    const ids = texts.map((text) => test.addChunk(text));
    test.database.exec('commit');
    const kept = test.addEntry('text 3', 'user_a');
    const vectors = Object.fromEntries(texts.map((text) => [text, [1, 0]]));
    test.put('m', vectors);
    test.put('n', vectors);
    for (const id of ids.slice(0, 1000)) test.removeChunk(id);
    await test.store.keepOnly('m');
    const left = [hashOf('text 3'), ...texts.slice(1000).map(hashOf)];
    const rows = test.database.prepare('select model, lower(hex(text_hash)) as hash from vectors').all();
    expect(rows).toHaveLength(left.length);
    expect(new Set(rows.map(({ hash }) => hash))).toEqual(new Set(left));
    expect(new Set(rows.map(({ model }) => model))).toEqual(new Set(['m']));
    expect(kept).toBeGreaterThan(0);
  });

  it('keeps all models when none is given', async () => {
    using test = openTestVectors();
    test.addChunk('text');
    test.put('m', { text: [1, 0], gone: [1, 0] });
    test.put('n', { text: [1, 0] });
    await test.store.keepOnly(undefined);
    expect(stored(test).map((line) => line[0])).toEqual(['m', 'n']);
  });
});
