import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { hashTerm } from './gathered-words.ts';
import { ByteReader, ByteWriter, type PostingList, type TermPostings } from './posting-list.ts';
import { mergedTerms } from './merged-terms.ts';

/** Bytes after which a page ends; a frequent term may take more. */
const PAGE_BYTES = 8192;
/** Above this number of segments some are merged. */
const MAX_SEGMENTS = 16;
const MERGED_AT_ONCE = 8;

/** The tables of the words of chunks. A segment has pages of terms, sorted by hash; its ids follow those of the one before. */
export const wordTables = `
  create table if not exists word_segments (id integer primary key, postings integer not null, last_id integer not null);
  create table if not exists word_pages (
    id integer primary key, segment integer not null, first_hash integer not null, terms blob not null
  );
  create index if not exists word_pages_by_hash on word_pages (segment, first_hash);
  create table if not exists removed_words (id integer primary key);
`;

interface Segment {
  id: number;
  postings: number;
  lastId: number;
}

interface Merge {
  /** Of the new segment. */
  id: number;
  merged: Segment[];
  /** Ends with the number of postings. */
  steps: Generator<void, number>;
}

/** The stored words of chunks, as immutable segments that are merged now and then. */
export class WordSegments {
  readonly #sql: ReturnType<typeof statements>;
  /** By ascending ids of the texts in them. */
  #segments: Segment[] = [];
  #merge: Merge | undefined;

  constructor(database: DatabaseSync) {
    this.#sql = statements(database);
    this.load();
  }

  /** The last id of a text whose words are stored. */
  get lastId(): number {
    return this.#segments.at(-1)?.lastId ?? -1;
  }

  /** Reads what there is again, after a rollback. */
  load(): void {
    this.#merge = undefined;
    this.#segments = this.#sql.segments.all().map((row) => ({
      id: Number(row['id']),
      postings: Number(row['postings']),
      lastId: Number(row['last_id']),
    }));
  }

  /** In how many texts a term is, including those removed since. */
  count(term: string): number {
    let count = 0;
    for (const segment of this.#segments) count += this.#find(segment, term)?.count ?? 0;
    return count;
  }

  /** Appends the postings of a term, including those of texts removed since. */
  read(term: string, into: PostingList): void {
    for (const segment of this.#segments) {
      const found = this.#find(segment, term);
      found?.reader.postings(into, found.count);
    }
  }

  /** Within a transaction: stores a segment of texts after all others. */
  write(terms: Iterable<TermPostings>, lastId: number): void {
    const id = this.#nextId();
    const steps = this.#pages(id, terms);
    let step = steps.next();
    while (!step.done) step = steps.next();
    const postings = step.value;
    this.#sql.addSegment.run(id, postings, lastId);
    this.#segments.push({ id, postings, lastId });
  }

  /** Whether there are so many segments that some should be merged, or all with `isAll`. */
  needsMerge(isAll: boolean): boolean {
    return this.#merge !== undefined || isAll || this.#segments.length > MAX_SEGMENTS;
  }

  /** Within a transaction: merges until `isOver`, leaving out texts that are not `isLive`; returns whether a merge is complete. */
  merge(isAll: boolean, isLive: (id: number) => boolean, isOver: () => boolean): boolean {
    this.#merge ??= this.#begin(isAll, isLive);
    const { steps, merged, id } = this.#merge;
    let step = steps.next();
    while (!step.done && !isOver()) step = steps.next();
    if (!step.done) return false;
    this.#merge = undefined;
    for (const segment of merged) {
      this.#sql.removeSegment.run(segment.id);
      this.#sql.removePages.run(segment.id);
    }
    const lastId = merged.at(-1)?.lastId ?? -1;
    this.#sql.addSegment.run(id, step.value, lastId);
    const from = this.#segments.findIndex((segment) => segment === merged[0]);
    this.#segments.splice(from, merged.length, { id, postings: step.value, lastId });
    return true;
  }

  #begin(isAll: boolean, isLive: (id: number) => boolean): Merge {
    this.#sql.removeUnfinished.run();
    const merged = isAll ? [...this.#segments] : smallestOf(this.#segments);
    const id = this.#nextId();
    return {
      id,
      merged,
      steps: this.#pages(
        id,
        mergedTerms(
          this.#sql.page,
          merged.map(({ id: segment }) => segment),
          isLive,
        ),
      ),
    };
  }

  clear(): void {
    for (const clear of this.#sql.clear) clear.run();
    this.#segments = [];
    this.#merge = undefined;
  }

  #nextId(): number {
    return Number(this.#sql.maxId.get()?.['id'] ?? 0) + 1;
  }

  /** Writes the pages of a segment one by one and returns its number of postings. */
  *#pages(segment: number, terms: Iterable<TermPostings>): Generator<void, number> {
    const page = new ByteWriter();
    const postings = new ByteWriter();
    let first = 0;
    let last = -1;
    let count = 0;
    for (const { hash, term, list } of terms) {
      // Terms of equal hash stay on one page.
      if (page.length >= PAGE_BYTES && hash !== last) {
        this.#sql.addPage.run(segment, first, page.bytes);
        page.length = 0;
        yield;
      }
      if (page.length === 0) first = hash;
      last = hash;
      count += list.length;
      postings.length = 0;
      postings.postings(list);
      page.text(term);
      page.number(list.length);
      page.number(postings.length);
      page.append(postings.bytes);
    }
    if (page.length > 0) this.#sql.addPage.run(segment, first, page.bytes);
    return count;
  }

  #find(segment: Segment, term: string): { reader: ByteReader; count: number } | undefined {
    const row = this.#sql.pageOf.get(segment.id, hashTerm(term));
    if (!row) return undefined;
    const wanted = Buffer.from(term);
    const reader = new ByteReader(row['terms'] as Uint8Array);
    while (!reader.isAtEnd) {
      const isFound = wanted.equals(reader.slice());
      const count = reader.number();
      const size = reader.number();
      if (isFound) return { reader, count };
      reader.at += size;
    }
    return undefined;
  }
}

/** The neighbors with the fewest postings. */
function smallestOf(segments: Segment[]): Segment[] {
  const sizeFrom = (from: number) =>
    segments.slice(from, from + MERGED_AT_ONCE).reduce((sum, { postings }) => sum + postings, 0);
  let best = 0;
  for (let from = 1; from + MERGED_AT_ONCE <= segments.length; from++)
    if (sizeFrom(from) < sizeFrom(best)) best = from;
  return segments.slice(best, best + MERGED_AT_ONCE);
}

function statements(database: DatabaseSync) {
  return {
    segments: database.prepare('select * from word_segments order by last_id'),
    addSegment: database.prepare('insert into word_segments (id, postings, last_id) values (?, ?, ?)'),
    removeSegment: database.prepare('delete from word_segments where id = ?'),
    addPage: database.prepare('insert into word_pages (segment, first_hash, terms) values (?, ?, ?)'),
    page: database.prepare(
      'select first_hash, terms from word_pages where segment = ? and first_hash > ? order by first_hash limit 1',
    ),
    pageOf: database.prepare(
      'select terms from word_pages where segment = ? and first_hash <= ? order by first_hash desc limit 1',
    ),
    removePages: database.prepare('delete from word_pages where segment = ?'),
    removeUnfinished: database.prepare(
      'delete from word_pages where segment not in (select id from word_segments)',
    ),
    maxId: database.prepare(
      `select max(coalesce((select max(segment) from word_pages), 0),
         coalesce((select max(id) from word_segments), 0)) as id`,
    ),
    clear: [
      database.prepare('delete from word_pages'),
      database.prepare('delete from word_segments'),
      database.prepare('delete from removed_words'),
    ] satisfies StatementSync[],
  };
}
