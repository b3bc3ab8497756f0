import type { StatementSync } from 'node:sqlite';
import { hashTerm } from './gathered-words.ts';
import { ByteReader, PostingList, type TermPostings } from './posting-list.ts';

/** The terms of several segments as of one. The ids of each segment follow those of the one before. */
export function* mergedTerms(
  page: StatementSync,
  segments: number[],
  isLive: (id: number) => boolean,
): Generator<TermPostings> {
  const cursors = segments.map((id) => new SegmentCursor(page, id));
  const all = new PostingList();
  const live = new PostingList();
  for (;;) {
    const hash = Math.min(...cursors.map((cursor) => cursor.hash));
    if (hash === Infinity) return;
    // Different terms of equal hash come in any order.
    const found = cursors.filter((cursor) => cursor.hash === hash).flatMap((cursor) => cursor.take());
    for (const term of new Set(found.map((one) => one.term))) {
      all.length = 0;
      live.length = 0;
      for (const one of found) if (one.term === term) one.reader.postings(all, one.count);
      for (let at = 0; at < all.length; at++)
        if (isLive(all.ids[at] ?? 0)) live.push(all.ids[at] ?? 0, all.frequencies[at] ?? 0);
      if (live.length > 0) yield { hash, term, list: live };
    }
  }
}

interface StoredTerm {
  term: string;
  count: number;
  /** At the postings. */
  reader: ByteReader;
}

/** Reads the terms of a segment one by one. */
class SegmentCursor {
  readonly #page: StatementSync;
  readonly #segment: number;
  #bytes: Uint8Array = new Uint8Array();
  #reader = new ByteReader(this.#bytes);
  #firstHash = -1;
  #next: StoredTerm | undefined;
  /** Of the next term; Infinity at the end. */
  hash = -1;

  constructor(page: StatementSync, segment: number) {
    this.#page = page;
    this.#segment = segment;
    this.#advance();
  }

  /** All terms of the next hash. */
  take(): StoredTerm[] {
    const { hash } = this;
    const terms: StoredTerm[] = [];
    while (this.#next && this.hash === hash) {
      terms.push(this.#next);
      this.#advance();
    }
    return terms;
  }

  #advance(): void {
    if (this.#reader.isAtEnd) {
      const row = this.#page.get(this.#segment, this.#firstHash);
      if (!row) {
        this.#next = undefined;
        this.hash = Infinity;
        return;
      }
      this.#firstHash = Number(row['first_hash']);
      this.#bytes = row['terms'] as Uint8Array;
      this.#reader = new ByteReader(this.#bytes);
    }
    const term = Buffer.from(this.#reader.slice()).toString('utf8');
    const count = this.#reader.number();
    const size = this.#reader.number();
    const reader = new ByteReader(this.#bytes);
    reader.at = this.#reader.at;
    this.#reader.at += size;
    this.#next = { term, count, reader };
    this.hash = hashTerm(term);
  }
}
