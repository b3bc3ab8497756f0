import { indexedForm } from './index-words.ts';

/** Forms that are kept, and the longest that is: about 5 MiB of usual ones. */
const MOST_KEPT = 30_000;
const LONGEST_KEPT = 64;

/** What a character is to words; a connector is part of one where more of it follows. */
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

/** Where a scan is: between words, or in one that the tokenizer of the index knows by itself, or in a name of parts. */
const BETWEEN = 0;
const SMALL = KINDS;
const CAPITAL = 2 * KINDS;
const CAPITALS = 3 * KINDS;
const NUMBER = 4 * KINDS;
const CONNECTED = 5 * KINDS;
const NAME = 6 * KINDS;
/** Where the next character takes it, by the kind of that. */
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

/**
 * What the index is given in place of texts, as `indexedForm` says it, but found fast: most words of most texts stand
 * there as they are, and the others come again and again.
 */
export class IndexedForms {
  readonly #kept = new Map<string, string>();

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

  /** What is between two characters that part words is what it is whatever stands around. */
  #formOf(part: string): string {
    if (part.length > LONGEST_KEPT) return indexedForm(part);
    const kept = this.#kept.get(part);
    if (kept !== undefined) return kept;
    // A part of a text would keep the whole of it in memory.
    const name = ` ${part}`.slice(1);
    const form = indexedForm(name);
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(name, form);
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
