import type { GatheredWords } from './gathered-words.ts';
import { indexedWords } from './index-words.ts';

/** Parts remembered with their words: about 10 MiB. A power of two. */
const MAX_PARTS = 2 ** 17;
const MAX_PART_LENGTH = 64;

/** Character classes; a connector joins words when more follows. */
const BREAK = 0;
const WORD = 1;
const CONNECTOR = 2;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9]/.test(character)) return WORD;
  return /[-_.']/.test(character) ? CONNECTOR : BREAK;
});

/**
 * Splits texts into words and adds them to those gathered. What stands between separators has the same words in any
 * text, so they are looked up by the characters, without creating a string.
 */
export class WordReader {
  readonly #gathered: GatheredWords;
  /** Open addressing: the number of a part plus one, by its hash. */
  readonly #slots = new Int32Array(2 * MAX_PARTS);
  readonly #hashes = new Int32Array(MAX_PARTS);
  /** Where the characters and the words of each part begin; they end where those of the next one do. */
  readonly #charactersFrom = new Uint32Array(MAX_PARTS + 1);
  readonly #wordsFrom = new Uint32Array(MAX_PARTS + 1);
  #characters = new Uint16Array(2 ** 16);
  #words = new Uint32Array(2 ** 16);
  #count = 0;

  constructor(gathered: GatheredWords) {
    this.#gathered = gathered;
  }

  /** Returns the number of words. */
  read(text: string, id: number, weight: number): number {
    let words = 0;
    const { length } = text;
    for (let at = 0; at < length; at++) {
      let code = text.charCodeAt(at);
      let kind = code < 128 ? kinds[code] : WORD;
      if (kind !== WORD) continue;
      const start = at;
      let hash = 0x811c9dc5;
      let end = at;
      let hashAtEnd = hash;
      do {
        hash = Math.imul(hash ^ code, 0x01000193);
        at++;
        if (kind === WORD) {
          end = at;
          hashAtEnd = hash;
        }
        if (at === length) break;
        code = text.charCodeAt(at);
        kind = code < 128 ? kinds[code] : WORD;
      } while (kind !== BREAK);
      words += this.#add(text, start, end, hashAtEnd, id, weight);
    }
    return words;
  }

  /** Forgets the parts, whose words were dropped. */
  clear(): void {
    this.#slots.fill(0);
    this.#count = 0;
  }

  #add(text: string, start: number, end: number, hash: number, id: number, weight: number): number {
    if (end - start > MAX_PART_LENGTH) {
      const words = indexedWords(text.slice(start, end));
      for (const word of words) this.#gathered.add(this.#gathered.numberOf(word), id, weight);
      return words.length;
    }
    const part = this.#find(text, start, end, hash);
    const from = this.#wordsFrom[part] ?? 0;
    const to = this.#wordsFrom[part + 1] ?? 0;
    for (let at = from; at < to; at++) this.#gathered.add(this.#words[at] ?? 0, id, weight);
    return to - from;
  }

  #find(text: string, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let found = this.#slots[slot] ?? 0; found > 0; found = this.#slots[slot] ?? 0) {
      if (this.#hashes[found - 1] === hash && this.#equals(found - 1, text, start, end)) return found - 1;
      slot = (slot + 1) & mask;
    }
    if (this.#count === MAX_PARTS) {
      this.clear();
      slot = (hash ^ (hash >>> 15)) & mask;
    }
    this.#slots[slot] = this.#count + 1;
    return this.#remember(text.slice(start, end), hash);
  }

  #equals(part: number, text: string, start: number, end: number): boolean {
    const from = this.#charactersFrom[part] ?? 0;
    if ((this.#charactersFrom[part + 1] ?? 0) - from !== end - start) return false;
    for (let at = start; at < end; at++)
      if (this.#characters[from + at - start] !== text.charCodeAt(at)) return false;
    return true;
  }

  #remember(text: string, hash: number): number {
    const part = this.#count++;
    this.#hashes[part] = hash;
    // Copied, because a slice would keep the whole text in memory.
    const words = indexedWords(` ${text}`.slice(1));
    const characters = this.#charactersFrom[part] ?? 0;
    this.#characters = roomFor(this.#characters, characters + text.length, Uint16Array);
    for (let at = 0; at < text.length; at++) this.#characters[characters + at] = text.charCodeAt(at);
    this.#charactersFrom[part + 1] = characters + text.length;
    const from = this.#wordsFrom[part] ?? 0;
    this.#words = roomFor(this.#words, from + words.length, Uint32Array);
    for (const [at, word] of words.entries()) this.#words[from + at] = this.#gathered.numberOf(word);
    this.#wordsFrom[part + 1] = from + words.length;
    return part;
  }
}

function roomFor<List extends Uint16Array | Uint32Array>(
  list: List,
  length: number,
  type: new (length: number) => List,
): List {
  if (length <= list.length) return list;
  const larger = new type(Math.max(length, 2 * list.length));
  larger.set(list);
  return larger;
}
