import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutputHit } from '../../../src/contract/task-output.ts';
import type { OutputSource } from '../../../src/core/tasks/output-source.ts';
import { searchOutput } from '../../../src/core/tasks/search-output.ts';

/** Bytes that are read in pieces of this length. */
function sourceOf(bytes: Buffer, pieceBytes = 64 * 1024): OutputSource {
  return {
    size: bytes.length,
    tag: undefined,
    async *read(start, end) {
      for (let at = start; at < end; at += pieceBytes)
        yield bytes.subarray(at, Math.min(end, at + pieceBytes));
    },
  };
}

interface Search {
  q: string;
  caseSensitive?: boolean;
  offset?: number;
  limit?: number;
  pieceBytes?: number;
  monotonic?: () => number;
}
function search(text: string | Buffer, { pieceBytes, monotonic = () => 0, ...query }: Search) {
  return searchOutput(
    sourceOf(Buffer.from(text), pieceBytes),
    { caseSensitive: false, offset: 0, limit: 100, ...query },
    { monotonic, signal: new AbortController().signal },
  );
}
/** All hits, page by page. */
async function searchAll(text: string, query: Search): Promise<OutputHit[]> {
  const all: OutputHit[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { hits, nextOffset } = await search(text, { ...query, offset });
    all.push(...hits);
    offset = nextOffset;
  }
  return all;
}

describe('a search in output', () => {
  it('finds each place with its line', async () => {
    const { hits, nextOffset } = await search('first\nan Error here\r\nand an error, ERROR\n', {
      q: 'error',
    });
    expect(hits).toEqual([
      { offset: 9, bytes: 5, line: 2, text: 'an Error here', at: 3 },
      { offset: 28, bytes: 5, line: 3, text: 'and an error, ERROR', at: 7 },
      { offset: 35, bytes: 5, line: 3, text: 'and an error, ERROR', at: 14 },
    ]);
    expect(nextOffset).toBeUndefined();
  });

  it('distinguishes case only if asked to, also beyond ASCII', async () => {
    const found = async (query: Search) =>
      (await search('Größe größe GRÖSSE', query)).hits.map(({ offset }) => offset);
    expect(await found({ q: 'größe' })).toEqual([0, 8, 16]);
    expect(await found({ q: 'größe', caseSensitive: true })).toEqual([8]);
    expect(await found({ q: '.*' })).toEqual([]);
  });

  it('finds what lies across pieces, at places in bytes', async () => {
    const text = `${'ä'.repeat(500)}\n${'€'.repeat(500)}Needle😀\n`;
    for (const pieceBytes of [1, 3, 100, 1501]) {
      const { hits } = await search(text, { q: 'needle😀', pieceBytes });
      expect(hits).toEqual([{ offset: 2501, bytes: 10, line: 2, text: `${'€'.repeat(66)}Needle😀`, at: 66 }]);
    }
  });

  it('shows the part of a long line around a hit, without halves of characters', async () => {
    const { hits } = await search(`${'€'.repeat(100_000)}x${'€'.repeat(100_000)}`, { q: 'X' });
    expect(hits).toEqual([
      { offset: 300_000, bytes: 1, line: 1, text: `${'€'.repeat(66)}x${'€'.repeat(133)}`, at: 66 },
    ]);
  });

  it('reads what is no text', async () => {
    const bytes = Buffer.concat([
      Buffer.from([0, 0xff, 0xfe, 0x80, 10]),
      Buffer.from('hit'),
      Buffer.from([0xe2]),
    ]);
    expect((await search(bytes, { q: 'hit' })).hits).toEqual([
      { offset: 5, bytes: 3, line: 2, text: 'hit�', at: 0 },
    ]);
  });

  it('finds nothing in nothing', async () => {
    expect(await search('', { q: 'x' })).toEqual({ hits: [], nextOffset: undefined });
  });

  it('finds the same as a search in memory, whatever the pages and pieces are', async () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '\n', '😀'), minLength: 1, maxLength: 3 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '\n', '😀'), maxLength: 3000 });
    await fc.assert(
      fc.asyncProperty(
        text,
        word,
        fc.integer({ min: 1, max: 900 }),
        fc.integer({ min: 1, max: 50 }),
        async (all, q, pieceBytes, limit) => {
          const hits = await searchAll(all, { q, pieceBytes, limit });
          const expected = [...all.matchAll(new RegExp(q, 'g'))].map(({ index }) => ({
            offset: Buffer.byteLength(all.slice(0, index)),
            line: all.slice(0, index).split('\n').length,
          }));
          expect(hits.map(({ offset, line }) => ({ offset, line }))).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('answers with what it has after a while, and always gets further', async () => {
    let time = 0;
    const text = `${'a\n'.repeat(100_000)}needle`;
    const slow = { q: 'needle', pieceBytes: 64 * 1024, monotonic: () => (time += 4000) };
    const first = await search(text, slow);
    expect(first.hits).toEqual([]);
    expect(first.nextOffset).toBeGreaterThan(0);
    expect(await searchAll(text, slow)).toEqual([
      { offset: 200_000, bytes: 6, line: 100_001, text: 'needle', at: 0 },
    ]);
  });

  it('stops when nobody waits for the answer', async () => {
    const given = AbortSignal.abort(new Error('gone'));
    const query = { q: 'x', caseSensitive: false, offset: 0, limit: 1 };
    await expect(
      searchOutput(sourceOf(Buffer.from('text')), query, { monotonic: () => 0, signal: given }),
    ).rejects.toThrow('gone');
  });
});
