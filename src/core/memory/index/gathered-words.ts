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

/** The words of texts that are not stored yet: an index in memory, as linked lists in arrays. */
export class GatheredWords {
  readonly #numbers = new Map<string, number>();
  #terms: string[] = [];
  #hashes = new Uint32Array(1024);
  /** In how many texts each term is. */
  #counts = new Uint32Array(1024);
  /** The last posting of each term. */
  #last = new Int32Array(1024).fill(NONE);
  #ids = new Uint32Array(4096);
  #frequencies = new Uint32Array(4096);
  /** The posting of the same term before. */
  #before = new Int32Array(4096);
  #size = 0;

  /** The number of postings. */
  get size(): number {
    return this.#size;
  }

  /** Whether the terms take more memory than they should; `clear` then drops them. */
  get isFull(): boolean {
    return this.#terms.length > MAX_TERMS;
  }

  /** The number of a word's term; valid until the terms are dropped. */
  numberOf(word: string): number {
    return this.numberOfTerm(porterStem(word));
  }

  /** The number of a term that is not stemmed. */
  numberOfTerm(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#terms.push(term) - 1;
    this.#numbers.set(term, number);
    if (number === this.#last.length) {
      this.#last = copied(this.#last, new Int32Array(2 * number).fill(NONE));
      this.#hashes = copied(this.#hashes, new Uint32Array(2 * number));
      this.#counts = copied(this.#counts, new Uint32Array(2 * number));
    }
    this.#hashes[number] = hashTerm(term);
    return number;
  }

  /** Adds to the frequency of a term in a text. Ids ascend. */
  add(number: number, id: number, frequency: number): void {
    const last = this.#last[number] ?? NONE;
    if (last !== NONE && this.#ids[last] === id) {
      this.#frequencies[last] = (this.#frequencies[last] ?? 0) + frequency;
      return;
    }
    if (this.#size === this.#ids.length) this.#grow();
    const at = this.#size++;
    this.#ids[at] = id;
    this.#frequencies[at] = frequency;
    this.#before[at] = last;
    this.#last[number] = at;
    this.#counts[number] = (this.#counts[number] ?? 0) + 1;
  }

  /** Appends the postings of a term. */
  read(term: string, into: PostingList): void {
    const number = this.#numbers.get(term);
    if (number !== undefined) this.#read(number, into);
  }

  count(term: string): number {
    const number = this.#numbers.get(term);
    return number === undefined ? 0 : (this.#counts[number] ?? 0);
  }

  /** All terms with their postings, sorted by hash. */
  *all(): Generator<TermPostings> {
    // The hash and the number of a term fit in the 53 bits of one number, which sorts fast.
    const keys = new Float64Array(this.#terms.length);
    let used = 0;
    for (let number = 0; number < this.#terms.length; number++)
      if (this.#last[number] !== NONE) keys[used++] = (this.#hashes[number] ?? 0) * 2 ** 21 + number;
    const list = new PostingList();
    for (const key of keys.subarray(0, used).sort()) {
      const number = key % 2 ** 21;
      list.length = 0;
      this.#read(number, list);
      yield { hash: Math.floor(key / 2 ** 21), term: this.#terms[number] ?? '', list };
    }
  }

  /** Drops the postings; and the terms when they take too much memory, or `dropsTerms`. Returns whether it did. */
  clear(dropsTerms = this.isFull): boolean {
    this.#size = 0;
    this.#last.fill(NONE);
    this.#counts.fill(0);
    if (!dropsTerms) return false;
    this.#numbers.clear();
    this.#terms = [];
    this.#last = new Int32Array(1024).fill(NONE);
    this.#hashes = new Uint32Array(1024);
    this.#counts = new Uint32Array(1024);
    this.#ids = new Uint32Array(4096);
    this.#frequencies = new Uint32Array(4096);
    this.#before = new Int32Array(4096);
    return true;
  }

  #read(number: number, into: PostingList): void {
    let end = into.length + (this.#counts[number] ?? 0);
    into.resize(end);
    for (let at = this.#last[number] ?? NONE; at !== NONE; at = this.#before[at] ?? NONE) {
      into.ids[--end] = this.#ids[at] ?? 0;
      into.frequencies[end] = this.#frequencies[at] ?? 0;
    }
  }

  #grow(): void {
    const length = 2 * this.#ids.length;
    this.#ids = copied(this.#ids, new Uint32Array(length));
    this.#frequencies = copied(this.#frequencies, new Uint32Array(length));
    this.#before = copied(this.#before, new Int32Array(length));
  }
}

function copied<List extends Uint32Array | Int32Array>(list: List, larger: List): List {
  larger.set(list);
  return larger;
}
