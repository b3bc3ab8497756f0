export type SkipReason =
  | 'binary'
  | 'too large'
  | 'secret'
  | 'protected'
  | 'link'
  | 'not a regular file'
  | 'name is not UTF-8'
  | 'path too long'
  | 'unreadable'
  | 'too many ignore rules'
  | 'over the limit of files';

/** Counts skipped files by reason. */
export class SkippedFiles {
  readonly #counts = new Map<SkipReason, number>();

  add(reason: SkipReason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, n) => sum + n, 0);
  }

  get reasons(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}
