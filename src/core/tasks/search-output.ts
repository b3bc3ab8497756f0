import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OutputHit, SearchOutputQuery } from '../../contract/task-output.ts';
import { completeLength, continuationLength } from '../text/utf8-pieces.ts';
import { BytesFinder } from '../text/bytes-finder.ts';
import type { OutputSource } from './output-source.ts';

/** What of a long line is shown before and after a hit, in bytes. */
const BEFORE = 200;
const AFTER = 400;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** A search that takes longer answers with what it has found, and where to continue. */
const MAX_MS = 5000;
/** What is searched without a look at the clock, in bytes: some texts are slow to search. */
const SLICE = 8192;
/** After this long, others have their turn. */
const TURN_MS = 10;

export interface SearchDeps {
  monotonic: () => number;
  signal: AbortSignal;
}

/** The hits in a stream, with their lines, in a time that is bounded; only a small part of the stream is in memory. */
export async function searchOutput(
  source: OutputSource,
  query: Pick<SearchOutputQuery, 'q' | 'caseSensitive' | 'offset' | 'limit'>,
  { monotonic, signal }: SearchDeps,
): Promise<{ hits: OutputHit[]; nextOffset: number | undefined }> {
  const search = new Search(query, source.size);
  const deadline = monotonic() + MAX_MS;
  let turn = monotonic();
  const answer = () => ({
    hits: search.hits,
    nextOffset: search.at < source.size ? search.at : undefined,
  });
  // Lines are counted from the first one.
  for await (const piece of source.read(0, source.size))
    for (let at = 0; at < piece.length; at += SLICE) {
      signal.throwIfAborted();
      search.push(piece.subarray(at, at + SLICE));
      if (search.isFull) return answer();
      const now = monotonic();
      if (search.at > query.offset && now > deadline) return answer();
      if (now - turn < TURN_MS) continue;
      await nextTurn();
      turn = monotonic();
    }
  return answer();
}

class Search {
  readonly hits: OutputHit[] = [];
  readonly #query: Pick<SearchOutputQuery, 'offset' | 'limit'>;
  readonly #size: number;
  readonly #finder: BytesFinder;
  /** The bytes after a hit that have to be there before it is reported. */
  readonly #ahead: number;
  /** What of the stream is in memory, at the start of a buffer that is used again for each piece. */
  #window: Buffer = Buffer.alloc(0);
  #buffer: Buffer = Buffer.alloc(0);
  /** The place of the window in the stream. */
  #base = 0;
  /** Everything before this place is searched. */
  #at = 0;
  /** Line feeds before `#countedTo`. */
  #lineFeeds = 0;
  #countedTo = 0;

  constructor({ q, caseSensitive, ...query }: Parameters<typeof searchOutput>[1], size: number) {
    this.#query = query;
    this.#size = size;
    this.#finder = new BytesFinder(q, caseSensitive);
    this.#ahead = AFTER + this.#finder.length;
  }

  get at(): number {
    return this.#at;
  }

  get isFull(): boolean {
    return this.hits.length >= this.#query.limit;
  }

  push(piece: Buffer): void {
    this.#append(piece);
    const isLast = this.#base + this.#window.length >= this.#size;
    const until = isLast ? this.#window.length : this.#window.length - this.#ahead;
    this.#searchWindow(until);
    if (this.isFull) return;
    this.#at = Math.max(this.#at, this.#base + Math.max(0, until));
    this.#countTo(this.#at);
    const drop = Math.max(0, this.#at - this.#base - BEFORE);
    this.#buffer.copyWithin(0, drop, this.#window.length);
    this.#window = this.#buffer.subarray(0, this.#window.length - drop);
    this.#base += drop;
  }

  #append(piece: Buffer): void {
    const length = this.#window.length + piece.length;
    if (length > this.#buffer.length) {
      this.#buffer = Buffer.alloc(length + this.#ahead + BEFORE);
      this.#window.copy(this.#buffer);
    }
    piece.copy(this.#buffer, this.#window.length);
    this.#window = this.#buffer.subarray(0, length);
  }

  /** Looks for hits that begin before `until`. */
  #searchWindow(until: number): void {
    const start = Math.max(this.#at, this.#query.offset) - this.#base;
    if (start >= until) return;
    for (const index of this.#finder.find(this.#window, start)) {
      if (index >= until) return;
      this.#add(index);
      this.#at = this.#base + index + this.#finder.length;
      if (this.isFull) return;
    }
  }

  #add(index: number): void {
    const { length } = this.#finder;
    this.#countTo(this.#base + index);
    const window = this.#window;
    const first = Math.max(0, index - BEFORE);
    const lineStart = window.subarray(first, index).lastIndexOf(LINE_FEED);
    const cut = this.#base + first > 0 && lineStart < 0;
    const from = cut
      ? first + continuationLength(window.subarray(first, index))
      : first + Math.max(0, lineStart + 1);
    const last = Math.min(window.length, index + length + AFTER);
    const lineEnd = window.subarray(index, last).indexOf(LINE_FEED);
    const rest = window.subarray(from, lineEnd < 0 ? last : index + lineEnd);
    const line = rest.at(-1) === CARRIAGE_RETURN ? rest.subarray(0, -1) : rest;
    const isWhole = lineEnd >= 0 || this.#base + last >= this.#size;
    this.hits.push({
      offset: this.#base + index,
      bytes: length,
      line: this.#lineFeeds + 1,
      text: line.toString('utf8', 0, isWhole ? line.length : completeLength(line)),
      at: window.toString('utf8', from, index).length,
    });
  }

  #countTo(place: number): void {
    const end = place - this.#base;
    let at = this.#window.indexOf(LINE_FEED, this.#countedTo - this.#base);
    for (; at >= 0 && at < end; at = this.#window.indexOf(LINE_FEED, at + 1)) this.#lineFeeds++;
    this.#countedTo = place;
  }
}
