/** A text that fails alone so often, while others are accepted, is not tried again. */
const MAX_STRIKES = 3;

/** The texts of which a provider makes no vectors: they stay without one until the daemon or the settings start anew. */
export class RefusedTexts {
  readonly #strikes = new Map<string, number>();
  readonly #refused = new Map<string, Set<string>>();

  of(model: string): ReadonlySet<string> {
    return this.#refused.get(model) ?? new Set();
  }

  refuse(model: string, hash: string): void {
    const hashes = this.#refused.get(model) ?? new Set();
    this.#refused.set(model, hashes.add(hash));
  }

  /** It may have been bad luck; answers whether it was so once too often. */
  strike(model: string, hash: string): boolean {
    const key = `${model} ${hash}`;
    const strikes = (this.#strikes.get(key) ?? 0) + 1;
    this.#strikes.set(key, strikes);
    if (strikes < MAX_STRIKES) return false;
    this.refuse(model, hash);
    return true;
  }

  forget(): void {
    this.#strikes.clear();
    this.#refused.clear();
  }
}
