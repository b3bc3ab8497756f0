import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { porterStem } from '../../../../src/core/memory/index/porter-stem.ts';
import { sized } from '../../../helpers/long.ts';

it.each([
  ['caresses', 'caress'],
  ['ponies', 'poni'],
  ['agreed', 'agre'],
  ['plastered', 'plaster'],
  ['hopping', 'hop'],
  ['filing', 'file'],
  ['happy', 'happi'],
  ['relational', 'relat'],
  ['adoption', 'adopt'],
  ['controlling', 'control'],
  ['a', 'a'],
  ['москва', 'москва'],
])('stems %s as %s', (word, stem) => {
  expect(porterStem(word)).toBe(stem);
});

it('stems as FTS5 does', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(`
    create virtual table words using fts5(word, content='', tokenize='porter ascii');
    create virtual table terms using fts5vocab('words', 'row');
  `);
  const insert = database.prepare('insert into words (rowid, word) values (1, ?)');
  const read = database.prepare('select term from terms');
  const piece = fc.oneof(
    fc.constantFrom('ational', 'iveness', 'ization', 'ement', 'ies', 'sses', 'ing', 'ed', 'ion', 'ly', 'ful'),
    fc.constantFrom(
      'hop',
      'fil',
      'plaster',
      'rate',
      'adopt',
      'bl',
      'tt',
      'ss',
      'll',
      'e',
      'y',
      's',
      'wa',
      'qu',
    ),
  );
  // FTS5 cuts words of only these letters short, where the rules of Porter ask for more of a stem.
  const isUsual = (word: string) => !/^(?:s?ses|eeds?)$|y(?:y|ed|ing)/.test(word);
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
      const word = pieces.join('');
      fc.pre(isUsual(word));
      insert.run(word);
      const theirs = read.get()?.['term'];
      database.exec("insert into words (words) values ('delete-all')");
      expect(porterStem(word)).toBe(theirs);
    }),
    { numRuns: sized(500, 20_000) },
  );
  database.close();
});
