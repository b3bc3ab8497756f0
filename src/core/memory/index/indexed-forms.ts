import { indexedForm } from './index-words.ts';

/** Limits of the cache: about 5 MiB. */
const MAX_CACHED = 30_000;
const MAX_CACHED_LENGTH = 64;

/** Character classes; a connector joins words when more follows. */
const BREAK = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const CONNECTOR = 4;
const OTHER = 5;
const KINDS = 6;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));

function kindOf(character: string): number {
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[0-9]/.test(character)) return DIGIT;
  return /[-_.']/.test(character) ? CONNECTOR : BREAK;
}

/** States of the scanner: between words, in a word that the tokenizer handles itself, or in a compound. */
const BETWEEN = 0;
const SMALL = KINDS;
const CAPITAL = 2 * KINDS;
const CAPITALS = 3 * KINDS;
const NUMBER = 4 * KINDS;
const CONNECTED = 5 * KINDS;
const NAME = 6 * KINDS;
/** State transitions by character class. */
const steps = Uint8Array.from(
  [
    [BETWEEN, SMALL, CAPITAL, NUMBER, BETWEEN, NAME],
    [BETWEEN, SMALL, NAME, NAME, CONNECTED, NAME],
    [BETWEEN, SMALL, CAPITALS, NAME, CONNECTED, NAME],
    [BETWEEN, NAME, CAPITALS, NAME, CONNECTED, NAME],
    [BETWEEN, NAME, NAME, NUMBER, CONNECTED, NAME],
    [BETWEEN, NAME, NAME, NAME, CONNECTED, NAME],
  ].flat(),
);

/** A fast version of `indexedForm`: most words are copied unchanged, and the other forms are cached. */
export class IndexedForms {
  readonly #cache = new Map<string, string>();

  of(text: string): string {
    let form = '';
    let done = 0;
    let state = BETWEEN;
    for (let at = 0; at < text.length; at++) {
      state = steps[state + kindAt(text, at)] ?? NAME;
      if (state !== NAME) continue;
      const start = startOf(text, at);
      while (at < text.length && kindAt(text, at) !== BREAK) at++;
      const end = endOf(text, at);
      form += text.slice(done, start) + this.#formOf(text.slice(start, end));
      done = end;
      state = BETWEEN;
    }
    return done === 0 ? text : form + text.slice(done);
  }

  /** A part between separators has the same form in any text. */
  #formOf(part: string): string {
    if (part.length > MAX_CACHED_LENGTH) return indexedForm(part);
    const cached = this.#cache.get(part);
    if (cached !== undefined) return cached;
    // Copied, because a slice would keep the whole text in memory.
    const name = ` ${part}`.slice(1);
    const form = indexedForm(name);
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(name, form);
    return form;
  }
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (kinds[code] ?? BREAK) : OTHER;
}

function startOf(text: string, inside: number): number {
  let start = inside;
  while (start > 0 && kindAt(text, start - 1) !== BREAK) start--;
  while (kindAt(text, start) === CONNECTOR) start++;
  return start;
}

function endOf(text: string, after: number): number {
  let end = after;
  while (kindAt(text, end - 1) === CONNECTOR) end--;
  return end;
}
