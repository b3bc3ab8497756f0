import { indexedForm } from './index-words.ts';

/** Forms that are kept, and the longest that is: about 10 MiB at most. */
const MOST_KEPT = 20_000;
const LONGEST_KEPT = 64;

/** What a character is to a word; 0 for what parts words. */
const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
/** Part of a word where more of it follows. */
const CONNECTOR = 8;
const OTHER = 16;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));

function kindOf(character: string): number {
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[0-9]/.test(character)) return DIGIT;
  return /[-_.']/.test(character) ? CONNECTOR : 0;
}

/**
 * What the index is given in place of texts, as `indexedForm` says it, but found fast: most words of most texts stand
 * there as they are, and the others come again and again.
 */
export class IndexedForms {
  readonly #kept = new Map<string, string>();

  of(text: string): string {
    let form = '';
    let done = 0;
    for (let at = 0; at < text.length;) {
      const first = kindAt(text, at);
      const start = at++;
      if (first === 0 || first === CONNECTOR) continue;
      let kind = kindAt(text, at);
      // Most words are of small letters but for the first.
      if (kind === LOWER && (first === LOWER || first === UPPER)) {
        do kind = kindAt(text, ++at);
        while (kind === LOWER);
        if (kind === 0) continue;
      }
      let end = at;
      let before = at - start > 1 ? LOWER : first;
      let all = first | before;
      let humps = before === first ? 1 : 2;
      for (; kind !== 0; kind = kindAt(text, ++at)) {
        if (kind === CONNECTOR) continue;
        all |= end === at ? kind : kind | CONNECTOR;
        if (kind !== before) humps++;
        before = kind;
        end = at + 1;
      }
      // What is of one kind is one word, and so is `Word`, here before what does not belong to it.
      if (
        all < CONNECTOR &&
        (humps === 1 ||
          (all === (UPPER | LOWER) && humps === 2 && first === UPPER && kindAt(text, start + 1) === LOWER))
      )
        continue;
      if (all === (LOWER | DIGIT) && 2 * humps > end - start && end - start <= LONGEST_KEPT) continue;
      form += text.slice(done, start) + this.#formOf(text.slice(start, end));
      done = end;
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
  if (at >= text.length) return 0;
  const code = text.charCodeAt(at);
  return code < 128 ? (kinds[code] ?? 0) : OTHER;
}
