import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { indexedForm, indexTerm } from './index-words.ts';
import { queryWords } from './query-words.ts';
import { WordCounts } from './word-counts.ts';

/** What a text is found by, each part with a weight of its own. */
export interface SearchedText {
  /** A path, or tags. */
  place: string;
  heading: string;
  body: string;
  ownerId?: string | undefined;
}

export interface Ranked {
  id: number;
  /** BM25, above 0, the more the better. */
  points: number;
}

export interface KeywordLimits {
  limit: number;
  /** Only what belongs to this user. */
  ownerId?: string | undefined;
  /** Only chunks of files at or below this path. */
  under?: string | undefined;
}

/** A query as words to look for. */
export interface QueryWords {
  words: string[];
  /** Too frequent to tell anything. */
  leftOut: string[];
}

/** How much a word counts in the place, the heading and the body; that of the owner counts nothing. */
const WEIGHTS = '2, 2, 1, 0';
/** Of BM25 as SQLite has it: what a word that a text is full of adds, as a multiple of the word's rarity. */
const MOST_PER_WORD = 2.2;

/**
 * Each text that holds a word costs about a microsecond to rank, and a tenth of it to pass by. The rarest words, up to
 * so many texts, say which texts come into question; others, up to so many more, help to rank those.
 */
const MOST_CANDIDATES = 4000;
const MOST_PASSED = 40_000;

interface Plan {
  /** Texts that hold any of these come into question. */
  rare: string[];
  /** These only help to rank them. */
  frequent: string[];
  tooFrequent: string[];
}

/** The words of texts, ranked by BM25. `id` is that of the chunk or the entry. */
export class KeywordIndex {
  readonly #counts: WordCounts;
  readonly #statements: ReturnType<typeof prepare>;
  constructor(database: DatabaseSync, table: 'chunk_words' | 'entry_words') {
    this.#counts = new WordCounts(database, table);
    this.#statements = prepare(database, table);
  }

  /** Adds a text, or replaces the one of this id. */
  add(id: number, { place, heading, body, ownerId }: SearchedText): void {
    this.remove(id);
    const owner = ownerId === undefined ? '' : ownerTerm(ownerId);
    this.#statements.add.run(id, indexedForm(place), indexedForm(heading), indexedForm(body), owner);
    this.#counts.added();
  }

  remove(id: number): void {
    if (this.#counts.removes(id)) this.#statements.remove.run(id);
  }

  clear(): void {
    this.#statements.clear.run();
    this.#counts.cleared();
  }

  /** What of a query can be looked for; any text is fine. */
  wordsOf(query: string): QueryWords {
    const { words, stopped } = queryWords(query);
    const { tooFrequent } = this.#plan(words);
    return {
      words: words.filter((word) => !tooFrequent.includes(word)),
      leftOut: [...stopped, ...tooFrequent],
    };
  }

  /** Best first; `total` is how many came into question: with many frequent words, those that hold a rarer one. */
  search({ words }: QueryWords, limits: KeywordLimits): { ranked: Ranked[]; total: number } {
    const { rare, frequent } = this.#plan(words);
    if (rare.length === 0) return { ranked: [], total: 0 };
    const found = this.#find(rare, frequent, limits);
    return found.total >= limits.limit || frequent.length === 0
      ? found
      : this.#find([...rare, ...frequent], [], limits);
  }

  /** What each word adds to the points of one text; together they are its points. */
  explain({ words }: QueryWords, id: number): { word: string; points: number }[] {
    return words.flatMap((word) => {
      const row = this.#statements.points.get(anyOf([word]), id);
      return row ? [{ word, points: Number(row['points']) }] : [];
    });
  }

  /** The points that no text can exceed, however often it holds each of the words. */
  bestPossible({ words }: QueryWords): number {
    return words.reduce((sum, word) => sum + MOST_PER_WORD * this.#counts.rarity(word), 0);
  }

  #plan(words: string[]): Plan {
    const plan: Plan = { rare: [], frequent: [], tooFrequent: [] };
    let texts = 0;
    const counted = words
      .map((word) => ({ word, count: this.#counts.textsWith(word) }))
      .toSorted((a, b) => a.count - b.count);
    for (const { word, count } of counted) {
      const isFirst = texts === 0;
      texts += count;
      if (isFirst || texts <= MOST_CANDIDATES) plan.rare.push(word);
      else if (texts <= MOST_PASSED) plan.frequent.push(word);
      else plan.tooFrequent.push(word);
    }
    return plan;
  }

  #find(rare: string[], frequent: string[], { limit, ownerId, under }: KeywordLimits) {
    const { all, below } = this.#statements;
    const own = ownerId === undefined ? '' : `owner : "${ownerTerm(ownerId)}" AND `;
    const wanted = `${own}(${anyOf(rare)})`;
    const range = under === undefined ? [] : rangeOf(under);
    const { ranked, count } = under === undefined ? all : below;
    const total = Number(count.get(wanted, ...range)?.['total']);
    const points = new Map<number, number>();
    const collect = (expression: string) => {
      for (const row of ranked.all(expression, ...range, limit)) {
        const id = Number(row['id']);
        points.set(id, Math.max(points.get(id) ?? 0, Number(row['points'])));
      }
    };
    collect(wanted);
    // All points of those texts that hold frequent words, too.
    if (frequent.length > 0 && total > 0) collect(`${wanted} AND (${anyOf(frequent)})`);
    const found = [...points].map(([id, sum]) => ({ id, points: sum }));
    return { ranked: found.toSorted((a, b) => b.points - a.points || a.id - b.id).slice(0, limit), total };
  }
}

const anyOf = (words: string[]) => words.map((word) => `"${indexTerm(word)}"`).join(' OR ');

/** One word of private characters and digits, which no text holds and no stemming changes. */
const ownerTerm = (id: string) => `\ue001${Buffer.from(id, 'utf16le').toString('hex')}\ue001`;

/** What is at a path, and the range of all paths below it. */
function rangeOf(path: string): string[] {
  const folder = path.replace(/\/+$/, '');
  return [folder === '' ? '/' : folder, `${folder}/`, `${folder}0`];
}

function prepare(database: DatabaseSync, table: string) {
  const isBelow = `and exists (select 1 from chunks where chunks.id = ${table}.rowid and file_id in
    (select id from files where path = ? or (path > ? and path < ?)))`;
  const points = `-bm25(${table}, ${WEIGHTS}) as points`;
  const finding = (limits: string): Record<'ranked' | 'count', StatementSync> => ({
    ranked: database.prepare(
      `select rowid as id, ${points} from ${table} where ${table} match ? ${limits} order by points desc, rowid limit ?`,
    ),
    count: database.prepare(`select count(*) as total from ${table} where ${table} match ? ${limits}`),
  });
  return {
    add: database.prepare(`insert into ${table} (rowid, place, heading, body, owner) values (?, ?, ?, ?, ?)`),
    remove: database.prepare(`delete from ${table} where rowid = ?`),
    clear: database.prepare(`insert into ${table} (${table}) values ('delete-all')`),
    all: finding(''),
    below: finding(isBelow),
    points: database.prepare(`select ${points} from ${table} where ${table} match ? and rowid = ?`),
  };
}
