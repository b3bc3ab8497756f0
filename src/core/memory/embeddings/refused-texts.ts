/** A text that fails this often alone, while others are accepted, is not retried. */
const MAX_STRIKES = 5;

/** Texts that a provider rejects. They stay without a vector until the daemon restarts or the settings change. */
export class RefusedTexts {
  readonly #skipped = new Map<string, Set<string>>();
  readonly #strikes = new Map<string, number>();
  #postponed: { model: string; hash: string; reason: Error }[] = [];

  /** Hashes of texts to leave out now. */
  skippedHashes(model: string): ReadonlySet<string> {
    return this.#skipped.get(model) ?? new Set();
  }

  /** Why texts are postponed, if any are. */
  get postponeReason(): Error | undefined {
    return this.#postponed[0]?.reason;
  }

  refuse(model: string, hash: string): void {
    const hashes = this.#skipped.get(model) ?? new Set();
    this.#skipped.set(model, hashes.add(hash));
  }

  /** Postpones a text that may have failed by chance. Returns true when it reached the maximum of failures. */
  postpone(model: string, hash: string, reason: Error): boolean {
    const key = `${model} ${hash}`;
    const strikes = (this.#strikes.get(key) ?? 0) + 1;
    this.#strikes.set(key, strikes);
    this.refuse(model, hash);
    if (strikes < MAX_STRIKES) this.#postponed.push({ model, hash, reason });
    return strikes >= MAX_STRIKES;
  }

  /** Makes postponed texts eligible again. */
  retryPostponed(): void {
    for (const { model, hash } of this.#postponed) this.#skipped.get(model)?.delete(hash);
    this.#postponed = [];
  }

  clear(): void {
    this.#skipped.clear();
    this.#strikes.clear();
    this.#postponed = [];
  }
}
