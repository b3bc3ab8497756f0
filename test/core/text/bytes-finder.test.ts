import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BytesFinder } from '../../../src/core/text/bytes-finder.ts';

const find = (text: string, bytes: string | Buffer, { caseSensitive = false, start = 0 } = {}) => [
  ...new BytesFinder(text, caseSensitive).find(Buffer.from(bytes), start),
];

describe('a text in bytes', () => {
  it('is found at places in bytes, none within another', () => {
    expect(find('aa', 'äaaaaa aa')).toEqual([2, 4, 8]);
    expect(find('aa', 'äaaaaa aa', { start: 5 })).toEqual([5, 8]);
  });

  it('is found in any case only if asked to, beyond ASCII too', () => {
    expect(find('größe', 'GRÖSSE Größe größe')).toEqual([0, 8, 16]);
    expect(find('größe', 'GRÖSSE Größe größe', { caseSensitive: true })).toEqual([16]);
    expect(find('ЯБЛОКО', 'яблоко Яблоко')).toEqual([0, 13]);
    expect(find('😀É', '😀é')).toEqual([0]);
  });

  it('is not found in characters that share bytes with both cases', () => {
    // я is D1 8F, Я is D0 AF, and ѯ is D1 AF.
    expect(find('я', 'ѯ')).toEqual([]);
    expect(find('яя', 'ѯяѯяяЯ')).toEqual([6]);
  });

  it('is no pattern', () => {
    for (const text of ['.*', '[a]', '\\d', '(', '^$', '\n', '\0'])
      expect(find(text, `a${text}b`)).toEqual([1]);
  });

  it('is found wherever a search in memory finds it', () => {
    const unit = fc.constantFrom('a', 'B', 'я', 'Я', 'ѯ', '\n');
    fc.assert(
      fc.property(
        fc.string({ unit, minLength: 1, maxLength: 3 }),
        fc.string({ unit, maxLength: 100 }),
        (text, all) => {
          const expected = [...all.matchAll(new RegExp(text, 'gi'))].map(({ index }) =>
            Buffer.byteLength(all.slice(0, index)),
          );
          expect(find(text, all)).toEqual(expected);
        },
      ),
    );
  });
});
