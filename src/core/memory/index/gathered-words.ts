import { porterStem } from './porter-stem.ts';
import { PostingList, type TermPostings } from './posting-list.ts';

/** Terms that are remembered, about 20 MiB. */
const MAX_TERMS = 150_000;
const NONE = -1;

/** The hash of a term, by which stored terms are sorted (FNV-1a). */
export function hashTerm(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Numbers of a term: its last posting, the text of that, in how many texts it is, and its hash. */
const TERM = 4;
/** Numbers of a posting: the text, the frequency, the posting of the same term before, and the term. */
const POSTING = 4;

/**
 * The words of texts that are not stored yet: an index in memory, as linked lists. What is read together stands
 * together in the arrays, since misses of the processor's cache cost more than all else here.
 */
export class GatheredWords {
  readonly #numbers = new Map<string, number>();
  #names: string[] = [];
  #terms = new Int32Array(TERM * 1024).fill(NONE);
  #postings = new Int32Array(POSTING * 4096);
  #size = 0;

  /** The number of postings. */
  get size(): number {
    return this.#size;
  }

  /** Whether the terms take more memory than they should; `clear` then drops them. */
  get isFull(): boolean {
    return this.#names.length > MAX_TERMS;
  }

  /** The number of a word's term; valid until the terms are dropped. */
  numberOf(word: string): number {
    return this.numberOfTerm(porterStem(word));
  }

  /** The number of a term that is not stemmed. */
  numberOfTerm(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#names.push(term) - 1;
    this.#numbers.set(term, number);
    const at = TERM * number;
    if (at === this.#terms.length) {
      const larger = new Int32Array(2 * at);
      larger.set(this.#terms);
      this.#terms = larger;
    }
    this.#terms[at] = NONE;
    this.#terms[at + 2] = 0;
    this.#terms[at + 3] = hashTerm(term);
    return number;
  }

  /** Adds to the frequency of a term in a text. Ids ascend. */
  add(number: number, id: number, frequency: number): void {
    const term = TERM * number;
    const last = this.#terms[term] ?? NONE;
    if (last !== NONE && this.#terms[term + 1] === (id | 0)) {
      this.#postings[last + 1] = (this.#postings[last + 1] ?? 0) + frequency;
      return;
    }
    const at = POSTING * this.#size++;
    if (at + POSTING > this.#postings.length) {
      const larger = new Int32Array(2 * this.#postings.length);
      larger.set(this.#postings);
      this.#postings = larger;
    }
    this.#postings[at] = id;
    this.#postings[at + 1] = frequency;
    this.#postings[at + 2] = last;
    this.#postings[at + 3] = number;
    this.#terms[term] = at;
    this.#terms[term + 1] = id;
    this.#terms[term + 2] = (this.#terms[term + 2] ?? 0) + 1;
  }

  /** Appends the postings of a term. */
  read(term: string, into: PostingList): void {
    const number = this.#numbers.get(term);
    if (number !== undefined) this.#read(number, into);
  }

  /** In how many texts a term is. */
  count(term: string): number {
    const number = this.#numbers.get(term);
    return number === undefined ? 0 : (this.#terms[TERM * number + 2] ?? 0);
  }

  /** All terms with their postings, sorted by hash. */
  *all(): Generator<TermPostings> {
    // The hash and the number of a term fit in the 53 bits of one number, which sorts fast.
    const keys = new Float64Array(this.#names.length);
    let used = 0;
    for (let number = 0; number < this.#names.length; number++)
      if (this.#terms[TERM * number] !== NONE)
        keys[used++] = ((this.#terms[TERM * number + 3] ?? 0) >>> 0) * 2 ** 21 + number;
    const sorted = Array.from(keys.subarray(0, used).sort(), (key) => key % 2 ** 21);
    const { ids, frequencies } = this.#grouped(sorted);
    const list = new PostingList();
    let from = 0;
    for (const number of sorted) {
      const to = from + (this.#terms[TERM * number + 2] ?? 0);
      list.ids = ids.subarray(from, to);
      list.frequencies = frequencies.subarray(from, to);
      list.length = to - from;
      from = to;
      yield { hash: (this.#terms[TERM * number + 3] ?? 0) >>> 0, term: this.#names[number] ?? '', list };
    }
  }

  /** All postings, those of a term together, in one pass: following the links would wait for the memory at each step. */
  #grouped(sorted: number[]): { ids: Uint32Array; frequencies: Uint32Array } {
    const next = new Uint32Array(this.#names.length);
    let count = 0;
    for (const number of sorted) {
      next[number] = count;
      count += this.#terms[TERM * number + 2] ?? 0;
    }
    const ids = new Uint32Array(count);
    const frequencies = new Uint32Array(count);
    const postings = this.#postings;
    for (let at = 0, end = POSTING * this.#size; at < end; at += POSTING) {
      const number = postings[at + 3] ?? 0;
      const to = next[number] ?? 0;
      next[number] = to + 1;
      ids[to] = postings[at] ?? 0;
      frequencies[to] = postings[at + 1] ?? 0;
    }
    return { ids, frequencies };
  }

  /** Drops the postings; and the terms when they take too much memory, or `dropsTerms`. Returns whether it did. */
  clear(dropsTerms = this.isFull): boolean {
    this.#size = 0;
    if (!dropsTerms) {
      for (let at = 0; at < TERM * this.#names.length; at += TERM) {
        this.#terms[at] = NONE;
        this.#terms[at + 2] = 0;
      }
      return false;
    }
    this.#numbers.clear();
    this.#names = [];
    this.#terms = new Int32Array(TERM * 1024).fill(NONE);
    this.#postings = new Int32Array(POSTING * 4096);
    return true;
  }

  #read(number: number, into: PostingList): void {
    let end = into.length + (this.#terms[TERM * number + 2] ?? 0);
    into.resize(end);
    const { ids, frequencies } = into;
    const postings = this.#postings;
    for (let at = this.#terms[TERM * number] ?? NONE; at !== NONE; at = postings[at + 2] ?? NONE) {
      ids[--end] = postings[at] ?? 0;
      frequencies[end] = postings[at + 1] ?? 0;
    }
  }
}
