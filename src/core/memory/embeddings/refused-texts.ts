/** A text that fails alone so often, at different times, while others are accepted, is not tried again. */
const MAX_STRIKES = 5;

/** The texts of which a provider makes no vectors: they stay without one until the daemon or the settings start anew. */
export class RefusedTexts {
  readonly #left = new Map<string, Set<string>>();
  readonly #strikes = new Map<string, number>();
  #postponed: { model: string; hash: string; why: Error }[] = [];

  /** The hashes of texts that are not to be tried now. */
  skippedHashes(model: string): ReadonlySet<string> {
    return this.#left.get(model) ?? new Set();
  }

  /** Why texts wait for another try, if any do. */
  get whyPostponed(): Error | undefined {
    return this.#postponed[0]?.why;
  }

  refuse(model: string, hash: string): void {
    const hashes = this.#left.get(model) ?? new Set();
    this.#left.set(model, hashes.add(hash));
  }

  /** It may have been bad luck: the text waits for another try. Answers whether it had too many. */
  postpone(model: string, hash: string, why: Error): boolean {
    const key = `${model} ${hash}`;
    const strikes = (this.#strikes.get(key) ?? 0) + 1;
    this.#strikes.set(key, strikes);
    this.refuse(model, hash);
    if (strikes < MAX_STRIKES) this.#postponed.push({ model, hash, why });
    return strikes >= MAX_STRIKES;
  }

  /** What was postponed is to be tried again. */
  retryPostponed(): void {
    for (const { model, hash } of this.#postponed) this.#left.get(model)?.delete(hash);
    this.#postponed = [];
  }

  clear(): void {
    this.#left.clear();
    this.#strikes.clear();
    this.#postponed = [];
  }
}
