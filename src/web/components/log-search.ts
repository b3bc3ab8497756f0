import type { OutputLines } from '../live/output-lines.ts';
import { plainLine } from './ansi.ts';

/** More matches are only counted. */
const MOST = 10_000;

/** The rows of a growing output that contain a text; only new rows are read again. */
export class LogSearch {
  readonly #words: string;
  /** Rows from the beginning of the output, also those that are not kept any more. */
  #found: number[] = [];
  #next = 0;

  constructor(words: string) {
    this.#words = words.toLowerCase();
  }

  /** The rows that match, as indexes of the rows that are kept. */
  update({ rows, dropped, firstOpen }: OutputLines): readonly number[] {
    this.#found = this.#found.filter((row) => row >= dropped && row < this.#next);
    for (let at = Math.max(0, this.#next - dropped); at < rows.length && this.#found.length < MOST; at++) {
      const row = rows[at];
      if (row && row.stream !== 'note' && plainLine(row.text).toLowerCase().includes(this.#words))
        this.#found.push(at + dropped);
    }
    // What may still change is read again.
    this.#next = firstOpen + dropped;
    const found = this.#found.map((row) => row - dropped);
    this.#found = this.#found.filter((row) => row < this.#next);
    return found;
  }
}
