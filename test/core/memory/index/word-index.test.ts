import { mkdtempSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openIndexDatabase } from '../../../../src/core/memory/index/index-database.ts';
import { indexedWords, wordGroups } from '../../../../src/core/memory/index/index-words.ts';
import { porterStem } from '../../../../src/core/memory/index/porter-stem.ts';
import { PostingList } from '../../../../src/core/memory/index/posting-list.ts';
import { WordIndex } from '../../../../src/core/memory/index/word-index.ts';
import { sized } from '../../../helpers/long.ts';

let home: string;
let database: DatabaseSync;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-words-'));
  database = openIndexDatabase(join(home, 'memory.db'), 4);
  database.exec("insert into files values (1, '/a.md', '', 0, '', 0, 1, '')");
});
afterEach(() => {
  database.close();
  rmSync(home, { recursive: true });
});

/** Stores after a few postings, so that there are many segments and merges. */
const small = { gathered: 20, stored: 1, removed: 3 };
const open = () => new WordIndex(database, small);

/** The frequency of a term by id, of texts that were not removed. */
function postingsOf(index: WordIndex, term: string): Map<number, number> {
  const list = new PostingList();
  index.read(term, list);
  const ids = [...list.ids.subarray(0, list.length)];
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  const live = ids.map((id, at) => [id, list.frequencies[at] ?? 0] as const);
  return new Map(live.filter(([id]) => index.sizes.has(id)));
}

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
  fc.constantFrom('東京都', 'ภาษา', 'Москва', 'e\u0301', '\u0301', '½', '…', '\ue000', '\ud800', '🏃', '\0'),
  fc.constantFrom('.', '-', '_', "'", '’', ' ', ' ', '\n', '(', '/', '='),
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.string({ unit: 'binary-ascii', maxLength: 3 }),
);
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

describe('the words of texts', () => {
  it('reads the words of any sequence of texts by the rule', () => {
    const index = new WordIndex(undefined);
    let id = 0;
    fc.assert(
      fc.property(text, (body) => {
        index.add({ id: ++id, label: '', heading: '', body });
        const words = indexedWords(body);
        expect(index.sizes.of(id)).toBe(words.length);
        const frequencies = new Map<string, number>();
        for (const stem of words.map(porterStem)) frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1);
        for (const [stem, frequency] of frequencies) expect(postingsOf(index, stem).get(id)).toBe(frequency);
      }),
      { numRuns: sized(300, 3000) },
    );
  });

  it('splits names of ASCII as the rule for all scripts does', () => {
    const part = fc.constantFrom(
      'a',
      'B',
      'AB',
      '1',
      '22',
      '.',
      '-',
      '_',
      '__',
      "'",
      'v',
      'HTTP',
      'Get',
      'By',
      'x',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        const name = parts.join('');
        // An accent that is removed leads to the general rule.
        expect(indexedWords(name)).toEqual(indexedWords(`${name}\u00ad`));
        expect(indexedWords(name)).toEqual([...wordGroups(name)].flat());
      }),
      { numRuns: sized(500, 5000) },
    );
  });

  it('reads more parts than are remembered, and long names', () => {
    const index = new WordIndex(undefined);
    const long = 'getUserById'.repeat(30);
    for (let id = 1; id <= 140_000; id++) index.add({ id, label: '', heading: '', body: `name_${id}` });
    index.add({ id: 200_000, label: '', heading: '', body: `name_1, ${long}.${long}` });
    expect([...postingsOf(index, 'name1')]).toEqual([
      [1, 1],
      [200_000, 1],
    ]);
    expect(index.sizes.of(200_000)).toBe(3 + indexedWords(`${long}.${long}`).length);
  });
});

describe('stored words', () => {
  it('equal those in memory after any changes, restarts, rollbacks and merges', () => {
    const words = ['apple', 'pear', 'plum', 'fig', 'quince', 'getPlumById', '東京都'];
    const change = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((of) => of.join(' ')),
      },
      { weight: 5, arbitrary: fc.nat(30) },
      { weight: 3, arbitrary: fc.constantFrom('tidy', 'step', 'restart', 'rollback', 'store', 'clear') },
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 150 }), (changes) => {
        database.exec('delete from chunks');
        let index = open();
        index.clear();
        const kept = new Map<number, string>();
        let lastId = 0;
        const put = (id: number, body: string) => {
          database.prepare("insert into chunks values (?, 1, 0, 1, 1, '', ?, x'')").run(id, body);
          index.add({ id, label: '', heading: '', body });
        };
        const remove = (id: number) => {
          database.prepare('delete from chunks where id = ?').run(id);
          index.remove(id);
        };
        for (const one of changes) {
          const ids = [...kept.keys()];
          if (one === 'tidy') while (index.tidy(() => false));
          else if (one === 'step') index.tidy(() => true);
          else if (one === 'restart') index = open();
          else if (one === 'store') index.store();
          else if (one === 'clear') {
            database.exec('delete from chunks');
            index.clear();
            kept.clear();
          } else if (one === 'rollback') {
            database.exec('begin');
            for (const id of ids.slice(0, 3)) remove(id);
            for (let n = 1; n < 9; n++) put(lastId + n, 'apple pear other');
            index.tidy(() => true);
            database.exec('rollback');
            index.reload();
          } else if (typeof one === 'string') {
            kept.set(++lastId, one);
            put(lastId, one);
          } else {
            const id = ids[one % Math.max(1, ids.length)];
            if (id === undefined) continue;
            kept.delete(id);
            remove(id);
          }
        }
        const fresh = new WordIndex(undefined);
        for (const [id, body] of kept) fresh.add({ id, label: '', heading: '', body });
        expect(index.sizes.count).toBe(fresh.sizes.count);
        expect(index.sizes.average).toBe(fresh.sizes.average);
        for (const word of [...words.flatMap(indexedWords), 'other'].map(porterStem))
          expect(postingsOf(index, word)).toEqual(postingsOf(fresh, word));
      }),
      { numRuns: sized(60, 1000) },
    );
  });

  it('leave out removed texts once these are many', () => {
    const index = open();
    for (let id = 1; id <= 400; id++) index.add({ id, label: '', heading: '', body: `apple word${id}` });
    index.store();
    for (let id = 1; id <= 200; id++) index.remove(id);
    const segments = () => Number(database.prepare('select count(*) as n from word_segments').get()?.['n']);
    expect(segments()).toBeGreaterThan(16);
    while (index.tidy(() => false));
    expect(segments()).toBe(1);
    const all = new PostingList();
    index.read('appl', all);
    expect(all.length).toBe(200);
    expect(index.count('appl')).toBe(200);
    expect(database.prepare('select count(*) as n from removed_words').get()).toEqual({ n: 0 });
  });

  it('keep numbers of any size', () => {
    const index = open();
    const ids = [0, 1, 2 ** 30, 2 ** 31 + 5, 2 ** 32 - 2];
    for (const id of ids) index.add({ id, label: '', heading: '', body: 'apple '.repeat((id % 7) + 1) });
    index.store();
    expect([...postingsOf(open(), 'appl')]).toEqual(ids.map((id) => [id, (id % 7) + 1]));
  });
});
