import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CursorCodec } from '../../../src/core/tasks/cursor.ts';
import { sized } from '../../helpers/long.ts';

const codec = new CursorCodec('a key');
const query = [{ status: ['pending'] }, { sortBy: 'createdAt' }];
const position = fc.tuple(fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constant(null)), fc.nat());
const decode = (cursor: string, scope: unknown) => codec.decode(cursor, scope, 2);
const refusal = expect.objectContaining({
  code: 'validation',
  details: [expect.objectContaining({ path: 'cursor' })],
});
const failureOf = (decode: () => unknown): unknown => {
  try {
    return decode();
  } catch (error) {
    return error;
  }
};

describe('a cursor', () => {
  it('a cursor decodes to its input', () => {
    fc.assert(
      fc.property(position, fc.jsonValue(), (at, scope) => {
        const cursor = codec.encode(at, scope);
        expect(decode(cursor, scope)).toEqual(at);
        expect(cursor).toMatch(/^[\w-]+$/);
      }),
    );
  });

  it('refuses a cursor with any flipped bit', () => {
    fc.assert(
      fc.property(position, (at) => {
        const bytes = Buffer.from(codec.encode(at, query), 'base64url');
        for (let index = 0; index < bytes.length; index++) {
          const forged = Buffer.from(bytes);
          forged.writeUInt8(forged.readUInt8(index) ^ (1 << (index % 8)), index);
          expect(failureOf(() => decode(forged.toString('base64url'), query))).toEqual(refusal);
        }
      }),
      { numRuns: sized(6, 30) },
    );
  });

  it('refuses a cursor with any changed character, or when it is shorter or longer', () => {
    const cursor = codec.encode(['2026-01-01T00:00:00.000Z', 42], query);
    const forged = cursor
      .split('')
      .flatMap((character, index) => [
        `${cursor.slice(0, index)}${character === 'A' ? 'B' : 'A'}${cursor.slice(index + 1)}`,
        cursor.slice(0, index),
        cursor.slice(index + 1),
        `${cursor.slice(0, index)}=${cursor.slice(index)}`,
        `${cursor.slice(0, index)} ${cursor.slice(index)}`,
      ]);
    for (const text of [...forged, `${cursor}A`, `${cursor}=`, `${cursor}\n`])
      expect(
        failureOf(() => decode(text, query)),
        text,
      ).toEqual(refusal);
  });

  it('refuses the cursor of another query or another key', () => {
    fc.assert(
      fc.property(position, fc.jsonValue(), fc.jsonValue(), (at, one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        const cursor = codec.encode(at, one);
        expect(failureOf(() => decode(cursor, other))).toEqual(refusal);
        expect(failureOf(() => new CursorCodec('another key').decode(cursor, one, 2))).toEqual(refusal);
      }),
    );
  });

  it('refuses a cursor of a list that is sorted by more columns', () => {
    expect(failureOf(() => codec.decode(codec.encode(['a', 1], query), query, 3))).toEqual(refusal);
  });

  it('refuses random text as a cursor', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()), (text) => {
        expect(failureOf(() => decode(text, query))).toEqual(refusal);
      }),
      { numRuns: sized(100, 500) },
    );
  });
});
