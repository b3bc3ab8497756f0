import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexedForm } from '../../../../src/core/memory/index/index-words.ts';
import { IndexedForms } from '../../../../src/core/memory/index/indexed-forms.ts';
import { sized } from '../../../helpers/long.ts';

const piece = fc.oneof(
  fc.constantFrom(
    'word',
    'Word',
    'WORD',
    'getUserById',
    'HTTPServer2',
    'ABc',
    'a1b2c3',
    '5fedj',
    '12',
    '4.22',
  ),
  fc.constantFrom(
    'user_id',
    'time-sharing',
    "don't",
    'v1.2.3',
    'a..b',
    '__x__',
    'O’Brien',
    'naïve',
    'ﬁle',
    'ß',
  ),
  fc.constantFrom(
    '東京都',
    'ภาษา',
    'Москва',
    'e\u0301',
    '\u0301',
    '½',
    '…',
    '\ue000',
    '\ud800',
    '🏃',
    '\0',
    '\u2024',
  ),
  fc.constantFrom('.', '-', '_', "'", '’', ' ', ' ', '\n', '(', '/', '='),
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.string({ unit: 'binary-ascii', maxLength: 3 }),
);
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

describe('the forms of texts', () => {
  it('the cached forms equal the rule for any sequence of texts', () => {
    const forms = new IndexedForms();
    fc.assert(
      fc.property(text, (given) => {
        expect(forms.of(given)).toBe(indexedForm(given));
      }),
      { numRuns: sized(400, 3000) },
    );
  });

  it('leaves plain words unchanged', () => {
    const plain = 'Plain words, 12 of them: SOME in capitals. (And -- at the end.)';
    expect(new IndexedForms().of(plain)).toBe(plain);
  });

  it('the forms stay correct beyond the size of the cache and for long names', () => {
    const forms = new IndexedForms();
    const long = 'getUserById'.repeat(30);
    for (let at = 0; at < 70_000; at++) forms.of(`name_${at}`);
    for (const name of ['name_0', 'name_69999', long, `${long}.${long}`])
      expect(forms.of(`a ${name}, b`)).toBe(indexedForm(`a ${name}, b`));
  });
});
