import type { Line } from './line.ts';

/** Rows of several lists below each other, which are not copied: an answer may have thousands, and grows many times a second. */
export class Rows {
  readonly #lists: readonly (readonly Line[])[];
  readonly length: number;

  constructor(lists: readonly (readonly Line[])[]) {
    this.#lists = lists;
    this.length = lists.reduce((sum, { length }) => sum + length, 0);
  }

  /** The rows from one position up to another. */
  slice(from = 0, to = this.length): Line[] {
    const found: Line[] = [];
    let start = 0;
    for (const list of this.#lists) {
      const end = start + list.length;
      if (end > from && start < to)
        for (const line of list.slice(Math.max(0, from - start), to - start)) found.push(line);
      start = end;
    }
    return found;
  }
}
