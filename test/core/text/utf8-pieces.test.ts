import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeLength, continuationLength, Utf8Pieces } from '../../../src/core/text/utf8-pieces.ts';

/** Pieces of these lengths; the last one has the rest. */
function cut(bytes: Buffer, lengths: number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const length of lengths) {
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return [...pieces, bytes.subarray(at)];
}

describe('decoding bytes in pieces', () => {
  it('gives the same text wherever a text is cut, and counts every byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(5)), (text, lengths) => {
        const bytes = Buffer.from(text);
        const decoder = new Utf8Pieces();
        const pieces = [...cut(bytes, lengths).map((each) => decoder.push(each)), decoder.end()];
        expect(pieces.map((each) => each.text).join('')).toBe(bytes.toString('utf8'));
        expect(pieces.reduce((sum, each) => sum + each.bytes, 0)).toBe(bytes.length);
      }),
    );
  });

  it('loses no byte of what is no UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.array(fc.nat(5)), (bytes, lengths) => {
        const decoder = new Utf8Pieces();
        const pieces = [...cut(Buffer.from(bytes), lengths).map((each) => decoder.push(each)), decoder.end()];
        expect(pieces.reduce((sum, each) => sum + each.bytes, 0)).toBe(bytes.length);
      }),
    );
  });

  it('finds the characters that a cut divides', () => {
    const bytes = Buffer.from('ä€😀');
    const lengths = Array.from({ length: bytes.length + 1 }, (_, at) =>
      completeLength(bytes.subarray(0, at)),
    );
    expect(lengths).toEqual([0, 0, 2, 2, 2, 5, 5, 5, 5, 9]);
    const starts = Array.from({ length: bytes.length }, (_, at) => continuationLength(bytes.subarray(at)));
    expect(starts).toEqual([0, 1, 0, 2, 1, 0, 3, 2, 1]);
  });
});
