import type { DatabaseSync } from 'node:sqlite';
import { GatheredWords } from './gathered-words.ts';
import { PostingList, type TermPostings } from './posting-list.ts';
import { TextSizes } from './text-sizes.ts';
import { WordReader } from './word-reader.ts';
import { WordSegments } from './word-segments.ts';

/** When words are stored. */
export interface WordLimits {
  /** Postings gathered in memory, about 8 MiB, before they are stored. */
  gathered: number;
  /** With fewer, they stay in memory after a sync; a restart reads them from the texts again. */
  stored: number;
  /** Removed texts from which on all is rewritten without them, if they are a quarter. */
  removed: number;
}
const LIMITS: WordLimits = { gathered: 2 ** 19, stored: 50_000, removed: 1000 };
const MAX_REMOVED = 0.25;

/** The weight of a word in the path, tags and heading; in the body it is 1. */
const ABOVE_BODY = 2;
/** The name under which the sizes of texts are kept like a word; no word is empty. */
const SIZE = '';

export interface TextToIndex {
  id: number;
  label: string;
  heading: string;
  body: string;
}

/** The words of texts, gathered in memory and, with a database, stored there in segments. */
export class WordIndex {
  readonly sizes = new TextSizes();
  readonly #gathered = new GatheredWords();
  readonly #reader = new WordReader(this.#gathered);
  readonly #stored: WordSegments | undefined;
  readonly #limits: WordLimits;
  readonly #sql: ReturnType<typeof statements> | undefined;
  /** Removed texts that still have stored words, or gathered ones. */
  #removed = 0;
  #removedGathered = 0;
  #lastId = -1;

  constructor(database: DatabaseSync | undefined, limits = LIMITS) {
    this.#limits = limits;
    this.#stored = database && new WordSegments(database);
    this.#sql = database && statements(database);
    if (database) this.#load();
  }

  /** Adds a text with an unused id above all others; with a database within a transaction. */
  add({ id, label, heading, body }: TextToIndex, terms: string[] = []): void {
    if (id <= this.#lastId) throw new Error(`Text ${id} does not follow ${this.#lastId}`);
    this.#lastId = id;
    const [gathered, reader] = [this.#gathered, this.#reader];
    let size = reader.read(label, id, ABOVE_BODY) + reader.read(heading, id, ABOVE_BODY);
    size += reader.read(body, id, 1) + terms.length;
    for (const term of terms) gathered.add(gathered.numberOfTerm(term), id, 1);
    gathered.add(gathered.numberOfTerm(SIZE), id, size);
    this.sizes.add(id, size);
    if (this.#stored && gathered.size >= this.#limits.gathered) this.#store(false);
  }

  remove(id: number): void {
    if (!this.sizes.remove(id)) return;
    if (!this.#stored || id > this.#stored.lastId) {
      this.#removedGathered++;
      return;
    }
    this.#sql?.remove.run(id);
    this.#removed++;
  }

  clear(): void {
    this.#stored?.clear();
    this.#forget();
    this.sizes.clear();
    this.#removed = 0;
  }

  read(term: string, into: PostingList): void {
    this.#stored?.read(term, into);
    this.#gathered.read(term, into);
  }

  count(term: string): number {
    if (this.#removed + this.#removedGathered > 0) return this.#countLive(term);
    return (this.#stored?.count(term) ?? 0) + this.#gathered.count(term);
  }

  /** Within a transaction: stores what was gathered, if that is much, and frees its memory. */
  store(): void {
    if (this.#stored && this.#gathered.size >= this.#limits.stored) this.#store(true);
  }

  /** Within a transaction: rewrites stored words in a better order until `isOver`; returns whether there is more to do. */
  tidy(isOver: () => boolean): boolean {
    const stored = this.#stored;
    if (!stored) return false;
    const isAll = this.#removed > Math.max(this.#limits.removed, MAX_REMOVED * this.sizes.count);
    if (!stored.needsMerge(isAll)) return false;
    if (stored.merge(isAll, (id) => this.sizes.has(id), isOver)) this.#forgetRemoved();
    return stored.needsMerge(isAll && this.#removed > 0);
  }

  /** Reads everything from the database again, after a rollback. */
  reload(): void {
    this.#forget();
    this.sizes.clear();
    this.#stored?.load();
    this.#load();
  }

  #load(): void {
    const sizes = new PostingList();
    this.#stored?.read(SIZE, sizes);
    for (let at = 0; at < sizes.length; at++) this.sizes.add(sizes.ids[at] ?? 0, sizes.frequencies[at] ?? 0);
    this.#removed = 0;
    for (const row of this.#sql?.removed.iterate() ?? [])
      if (this.sizes.remove(Number(row['id']))) this.#removed++;
    this.#lastId = this.#stored?.lastId ?? -1;
    // The last texts of a process that was killed.
    for (const row of this.#sql?.texts.iterate(this.#lastId) ?? []) {
      const path = String(row['path']);
      const label = path.slice(path.length - Number(row['place_length']));
      const [heading, body] = [String(row['heading']), String(row['text'])];
      this.add({ id: Number(row['id']), label, heading, body });
    }
  }

  #store(dropsTerms: boolean): void {
    this.#stored?.write(this.#liveTerms(), this.#lastId);
    this.#removedGathered = 0;
    if (this.#gathered.clear(dropsTerms || this.#gathered.isFull)) this.#reader.clear();
  }

  *#liveTerms(): Generator<TermPostings> {
    if (this.#removedGathered === 0) return yield* this.#gathered.all();
    const live = new PostingList();
    for (const { hash, term, list } of this.#gathered.all()) {
      live.length = 0;
      for (let at = 0; at < list.length; at++)
        if (this.sizes.has(list.ids[at] ?? 0)) live.push(list.ids[at] ?? 0, list.frequencies[at] ?? 0);
      if (live.length > 0) yield { hash, term, list: live };
    }
  }

  #countLive(term: string): number {
    const list = new PostingList();
    this.read(term, list);
    let count = 0;
    for (const id of list.ids.subarray(0, list.length)) if (this.sizes.has(id)) count++;
    return count;
  }

  /** Forgets removed texts that have no stored words any more. */
  #forgetRemoved(): void {
    const sizes = new PostingList();
    this.#stored?.read(SIZE, sizes);
    const stored = new Set(sizes.ids.subarray(0, sizes.length));
    this.#removed = 0;
    for (const row of this.#sql?.removed.all() ?? [])
      if (stored.has(Number(row['id']))) this.#removed++;
      else this.#sql?.forgetRemoved.run(Number(row['id']));
  }

  #forget(): void {
    this.#gathered.clear(true);
    this.#reader.clear();
    this.#removedGathered = 0;
    this.#lastId = -1;
  }
}

function statements(database: DatabaseSync) {
  return {
    remove: database.prepare('insert or ignore into removed_words (id) values (?)'),
    removed: database.prepare('select id from removed_words'),
    forgetRemoved: database.prepare('delete from removed_words where id = ?'),
    texts: database.prepare(
      `select c.id, c.heading, c.text, f.path, f.place_length
       from chunks c join files f on f.id = c.file_id where c.id > ? order by c.id`,
    ),
  };
}
