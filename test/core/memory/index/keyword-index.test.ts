import { mkdtempSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openIndexDatabase } from '../../../../src/core/memory/index/index-database.ts';
import { KeywordIndex, type KeywordLimits } from '../../../../src/core/memory/index/keyword-index.ts';
import { irCollection, ndcgAt10 } from '../../../helpers/ir-collection.ts';
import { sized } from '../../../helpers/long.ts';

let home: string;
let database: DatabaseSync;
let index: KeywordIndex;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-words-'));
  database = openIndexDatabase(join(home, 'memory.db'), 4);
  index = new KeywordIndex(database, 'chunk_words');
});
afterEach(() => {
  database.close();
  rmSync(home, { recursive: true });
});

const add = (id: number, body: string, heading = '', place = '') =>
  index.add(id, { label: place, heading, body });
const found = (query: string, limits: Partial<KeywordLimits> = {}) =>
  index.search(index.wordsOf(query), { limit: 10, ...limits }).ranked.map(({ id }) => id);
/** Words of letters alone, so that none falls into parts. */
const manyWords = (start: string, length: number) =>
  Array.from(
    { length },
    (_, at) => `${start}${String(at).replace(/\d/g, (digit) => 'bcdfghkmpr'[Number(digit)] ?? '')}q`,
  );
const vocabulary = ['apple', 'apples', 'pear', 'plum', 'getPlumById', 'fig-tree', '東京都', 'the'];
const textOf = fc.array(fc.constantFrom(...vocabulary), { maxLength: 12 }).map((words) => words.join(' '));

describe('finding', () => {
  it('ranks texts with rarer and more frequent words first', () => {
    add(1, 'apple and another');
    add(2, 'apple and something else');
    add(3, 'nothing of it');
    add(4, 'apple');
    add(5, 'a quince, and an apple');
    add(6, 'a quince, a quince, an apple');
    expect(found('quince or pear or apples').slice(0, 2)).toEqual([6, 5]);
    expect(found('quince or pear or apples').toSorted((a, b) => a - b)).toEqual([1, 2, 4, 5, 6]);
  });

  it('ranks a word in the heading or path above one in the text', () => {
    add(1, 'deploy, among many other words that stand here');
    add(2, 'among many other words that stand here too', 'deploy');
    add(3, 'among many other words that stand here too', '', '/docs/deploy.md');
    for (let id = 4; id < 10; id++) add(id, 'something else');
    expect(found('deploy')).toEqual([2, 3, 1]);
  });

  it.each([
    ['getUserById', 'const user = repo.getUserById(7)'],
    ['get_user_by_id', 'const user = repo.getUserById(7)'],
    ['user', 'repo.getUserById(7)'],
    ['user_id', 'where user_id = ?'],
    ['HTTPServer2', 'new HTTPServer2()'],
    ['server', 'new HTTPServer2()'],
    ['http', 'new HTTPServer2()'],
    ['foo.bar', 'calls foo.bar twice'],
    ['bar', 'calls foo.bar twice'],
    ['v1.2.3', 'since v1.2.3 it works'],
    ['1.2.3', 'since v1.2.3 it works'],
    ['ERR_SOCKET_TIMEOUT', 'it says ERR_SOCKET_TIMEOUT'],
    ['TS2345', 'error TS2345: no'],
    ['index-calls.ts', 'see src/index-calls.ts'],
    ['timesharing', 'a time-sharing system'],
    ['time-sharing', 'a timesharing system'],
    ["user's", 'all users'],
    ["O'Brien", 'by O’Brien'],
    ['Zurich', 'in Zürich'],
    ['zürich', 'in Zurich'],
    ['strasse', 'Straße'],
    ['file', 'ﬁle and ｆｉｌｅ'],
    ['東京', '私は東京都に住んでいます'],
    ['京', '私は東京都に住んでいます'],
    ['서울', '나는 서울에 산다'],
    ['ไทย', 'ภาษาไทยง่าย'],
    ['हिन्दी', 'यह हिन्दी है'],
    ['МОСКВА', 'из Москвы в Москва'],
    ['to be or not to be', 'to be'],
    ['compilers', 'the compiler'],
    ['a1b2c3d4e5f6a7b8', 'commit a1b2c3d4e5f6a7b8'],
  ])('finds %j in %j', (query, text) => {
    add(1, text);
    for (let id = 2; id < 9; id++) add(id, 'whatever');
    expect(found(query)).toEqual([1]);
  });

  it('distinguishes versions and hashes', () => {
    add(1, 'since v1.23');
    add(2, 'since v12.3');
    for (let id = 3; id < 9; id++) add(id, 'whatever');
    expect(found('v12.3')[0]).toBe(2);
    add(9, 'a1b2c3d4');
    expect(found('a1b2c3d5')).toEqual([]);
  });

  it('accepts any text as a query', () => {
    add(1, 'apple');
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), textOf),
        (query) => {
          const words = index.wordsOf(query);
          index.search(words, { limit: 5 });
          index.explain(words, 1);
          expect(index.bestPossible(words)).toBeGreaterThanOrEqual(0);
        },
      ),
    );
    const hostile = '" \' NEAR(a b) a* ^b body:c (d OR {e} : -f + \0 \ud800 💥 AND NOT " \ue000 \ue001';
    for (const query of [hostile, '"apple', 'apple*', 'place:apple', 'NEAR(apple', '\ud800apple\0'])
      expect(() => found(query)).not.toThrow();
    expect(found('place : apple"')).toEqual([1]);
    for (const nothing of ['', '?!… -- "" ()', '\0\0', '💥', '\ue000']) expect(found(nothing)).toEqual([]);
    expect(index.wordsOf('word'.repeat(25_000)).words).toHaveLength(1);
    const many = Array.from({ length: 15_000 }, (_, at) => `w${at}x`).join(' ');
    expect(index.wordsOf(many).words).toHaveLength(64);
  });

  it('ignores stop words unless the query has no other words', () => {
    add(1, 'who am i');
    expect(index.wordsOf("I'm interested in articles on sorting, don't you?")).toEqual({
      words: ['sorting'],
      leftOut: ['im', 'interested', 'in', 'articles', 'on', 'dont', 'you'],
    });
    expect(index.wordsOf('who am I')).toEqual({ words: ['who', 'am', 'i'], leftOut: [] });
    expect(found('who am I')).toEqual([1]);
  });

  it('ignores words that are in most of many texts', () => {
    for (let id = 1; id <= 1500; id++) add(id, id % 3 === 0 ? 'common rare' : 'common');
    expect(index.wordsOf('common rare')).toEqual({ words: ['rare'], leftOut: ['common'] });
    expect(index.wordsOf('common missing').words).toEqual(['common', 'missing']);
  });

  it.each([
    ['few', 5],
    ['many', 1500],
  ])('searches the 64 rarest words of a long query among %s texts', (_, count) => {
    const all = manyWords('filler', 70);
    for (let id = 1; id <= count; id++) add(id, id % 5 < 2 ? all.join(' ') : 'something else');
    add(9000, `${all[69]} rollback`);
    const missing = manyWords('missing', 1200);
    const query = ['the', ...missing.slice(0, 100), ...all, 'rollback', 'rollback', ...missing].join(' ');
    const { words, leftOut } = index.wordsOf(query);
    expect(words).toEqual([...all.slice(0, 63), 'rollback']);
    expect(leftOut).toEqual(['the', ...missing.slice(0, 100), ...all.slice(63), ...missing.slice(100)]);
  });

  it('searches unknown words of a long query that has no others', () => {
    add(1, 'rollback');
    const missing = manyWords('missing', 100);
    const query = [...missing, 'rollback'].join(' ');
    expect(found(query)).toEqual([1]);
    const { words, leftOut } = index.wordsOf(query);
    expect(words).toEqual([...missing.slice(0, 63), 'rollback']);
    expect(leftOut).toEqual(missing.slice(63));
  });

  it('ignores no word of owned texts, however frequent among other owners', () => {
    const entries = new KeywordIndex(database, 'entry_words');
    const put = (id: number, words: string, ownerId: string) =>
      entries.add(id, { label: '', heading: '', body: words, ownerId });
    put(1, 'deploy the site', 'ann');
    for (let id = 2; id <= 1200; id++) put(id, id === 2 ? 'docs' : 'deploy', 'bob');
    const words = entries.wordsOf('deploy docs');
    expect(entries.search(words, { limit: 5, ownerId: 'ann' }).ranked.map(({ id }) => id)).toEqual([1]);
  });

  it('counts neither removed texts nor former words', () => {
    for (let id = 1; id <= 1200; id++) add(id, id <= 700 ? 'frequent' : 'quince');
    expect(index.wordsOf('frequent quince')).toEqual({ words: ['quince'], leftOut: ['frequent'] });
    for (let id = 1; id <= 50; id++) index.remove(id);
    for (let id = 51; id <= 300; id++) add(id, 'quince');
    expect(index.wordsOf('frequent quince')).toEqual({ words: ['frequent'], leftOut: ['quince'] });
    expect(index.search({ words: ['frequent'], leftOut: [] }, { limit: 1 }).total).toBe(400);
  });
});

describe('limits', () => {
  it('finds only texts of one owner for any id', () => {
    const owners = ['user_a', 'user_ab', 'user', 'a', 'A', '" OR a', '', 'ed', 'e', '\ud800', '\ud801'];
    for (const [at, ownerId] of owners.entries())
      index.add(at + 1, { label: '', heading: '', body: 'apple user a', ownerId });
    add(100, 'apple');
    for (const [at, ownerId] of owners.entries()) expect(found('apple a', { ownerId })).toEqual([at + 1]);
    expect(found('apple', { ownerId: 'user_' })).toEqual([]);
    expect(found('user_ab', { limit: 100 })).not.toContain(100);
  });

  it('finds only texts at or below a path', () => {
    const paths = [
      '/a/b',
      '/a/b/c.md',
      '/a/b/d/e.md',
      '/a/bc.md',
      '/a/b%',
      '/a/b%/x',
      '/a/b_',
      '/a/B/c',
      '/a/b.md',
    ];
    for (const [at, path] of paths.entries()) {
      database.prepare("insert into files values (?, ?, '', 0, '', 0, 1, '')").run(at + 1, path);
      database.prepare("insert into chunks values (?, ?, 0, 1, 1, '', 'apple', x'')").run(at + 1, at + 1);
      add(at + 1, 'apple');
    }
    const below = (under: string) => found('apple', { under }).map((id) => paths[id - 1]);
    expect(below('/a/b')).toEqual(['/a/b', '/a/b/c.md', '/a/b/d/e.md']);
    expect(below('/a/b/')).toEqual(['/a/b', '/a/b/c.md', '/a/b/d/e.md']);
    expect(below('/a/b%')).toEqual(['/a/b%', '/a/b%/x']);
    expect(below('/a/bc.md')).toEqual(['/a/bc.md']);
    expect(below('/')).toHaveLength(paths.length);
    expect(below('/a/c')).toEqual([]);
    expect(below('a')).toEqual([]);
  });

  it('finds the few texts below a path among many better ones', () => {
    for (let id = 1; id <= 500; id++) add(id, 'apple apple pear');
    add(501, 'apple and a lot of other things that make it worse');
    database.exec("insert into files values (1, '/x/few.md', '', 0, '', 0, 1, '')");
    database.exec("insert into chunks values (501, 1, 0, 1, 1, '', '', x'')");
    expect(index.search(index.wordsOf('apple pear'), { limit: 5, under: '/x' })).toMatchObject({
      ranked: [{ id: 501 }],
      total: 1,
    });
  });
});

describe('points', () => {
  it('sums the points of the words and never exceeds the maximum', () => {
    const textsOf = fc.array(fc.record({ heading: textOf, body: textOf }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(textsOf, textOf, (texts, query) => {
        index.clear();
        for (const [at, text] of texts.entries()) index.add(at + 1, { label: '', ...text });
        const words = index.wordsOf(query);
        const { ranked, total } = index.search(words, { limit: 100 });
        expect(total).toBe(ranked.length);
        for (const { id, points } of ranked) {
          const of = index.explain(words, id);
          expect(of.reduce((sum, word) => sum + word.points, 0)).toBe(points);
          expect(points).toBeGreaterThan(0);
          expect(points).toBeLessThanOrEqual(index.bestPossible(words) * 1.001);
        }
      }),
      { numRuns: sized(10, 50) },
    );
  });

  it('matches the BM25 of SQLite except for words in most texts', () => {
    const textsOf = fc.array(fc.record({ heading: textOf, body: textOf }), { minLength: 1, maxLength: 20 });
    const rows = database.prepare(
      'select rowid as id, -bm25(chunk_words, 2, 2, 1, 0) as points from chunk_words where chunk_words match ?',
    );
    fc.assert(
      fc.property(textsOf, textOf, (texts, query) => {
        index.clear();
        for (const [at, text] of texts.entries()) index.add(at + 1, { label: '', ...text });
        for (const word of index.wordsOf(query).words) {
          const theirs = rows.all(`"${word}"`);
          const odds = (texts.length - theirs.length + 0.5) / (theirs.length + 0.5);
          const scale = Math.log(1 + odds) / Math.max(1e-6, Math.log(odds));
          const { ranked } = index.search({ words: [word], leftOut: [] }, { limit: 100 });
          expect(new Set(ranked.map(({ id }) => id))).toEqual(new Set(theirs.map(({ id }) => Number(id))));
          for (const { id, points } of ranked) {
            const row = theirs.find((one) => one['id'] === id);
            expect(points / (Number(row?.['points']) * scale)).toBeCloseTo(1, 3);
          }
        }
      }),
      { numRuns: sized(10, 50) },
    );
  });

  it('matches the points of a new index after any changes', () => {
    const change = fc.record({
      id: fc.integer({ min: 1, max: 12 }),
      text: fc.option(textOf, { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), textOf, (changes, query) => {
        index.clear();
        const kept = new Map<number, string>();
        for (const { id, text } of changes) {
          if (text === undefined) {
            index.remove(id);
            kept.delete(id);
          } else {
            add(id, text);
            kept.set(id, text);
          }
        }
        const changed = index.search(index.wordsOf(query), { limit: 100 });
        index.clear();
        for (const [id, text] of kept) add(id, text);
        expect(changed).toEqual(index.search(index.wordsOf(query), { limit: 100 }));
      }),
      { numRuns: sized(10, 50) },
    );
  });

  it('keyword search stays correct after a clear that was rolled back', () => {
    for (let id = 1; id <= 3; id++) add(id, 'apple');
    const before = index.search(index.wordsOf('apple'), { limit: 5 });
    database.exec('begin');
    index.clear();
    expect(found('apple')).toEqual([]);
    database.exec('rollback');
    index.clear();
    expect(found('apple')).toEqual([]);
    for (let id = 1; id <= 3; id++) add(id, 'apple');
    database.exec('begin');
    index.clear();
    database.exec('rollback');
    expect(index.search(index.wordsOf('apple'), { limit: 5 })).toEqual(before);
  });

  it('keyword search stays correct after a rollback and after a killed process', () => {
    for (let id = 1; id <= 20; id++) add(id, `apple ${'pear '.repeat(id)}`);
    const before = index.search(index.wordsOf('pear'), { limit: 100 });
    database.exec('begin');
    index.remove(3);
    add(21, 'pear '.repeat(50));
    database.exec('rollback');
    expect(index.search(index.wordsOf('pear'), { limit: 100 })).toEqual(before);
    for (let id = 100; id < 120; id++) add(id, 'pear '.repeat(40));
    for (let id = 100; id < 120; id++) index.remove(id);
    const other = new KeywordIndex(database, 'chunk_words');
    expect(other.search(other.wordsOf('pear'), { limit: 100 })).toEqual(before);
  });
});

const cacm = irCollection('cacm');
it.skipIf(!cacm)('answers questions about a real collection', () => {
  const { docs = [], queries = [], relevant = new Map<string, Set<string>>() } = cacm ?? {};
  database.exec('begin');
  for (const [at, { id, title, text }] of docs.entries())
    index.add(at, { label: `/data/cacm/${id}.md`, heading: title, body: `# ${title}\n\n${text}` });
  database.exec('commit');
  const answers = new Map(
    queries.map(({ id, text }) => [id, found(text).map((at) => docs[at]?.id ?? '')] as const),
  );
  expect(ndcgAt10(relevant, answers)).toBeGreaterThan(0.5);
});
