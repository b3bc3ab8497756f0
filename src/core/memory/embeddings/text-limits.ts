import { estimateTokens } from '../../text/token-estimate.ts';

/** Accepted by the models of most providers. */
const USUAL_TOKENS = 8000;
/** Shorter texts are not rejected for their length. */
const SHORTEST = 400;

/** Tracks the maximum text length per model, learned from rejections. */
export class TextLimits {
  readonly #learned = new Map<string, number>();

  /** The longest prefix that the model accepts, well-formed. */
  cut(model: string, text: string): string {
    let longest = Math.min(text.length, this.#learned.get(model) ?? Infinity);
    for (;;) {
      // Do not split a surrogate pair.
      const part = text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '');
      const tokens = estimateTokens(part);
      if (tokens <= USUAL_TOKENS) return part.toWellFormed();
      longest = Math.floor((longest * USUAL_TOKENS) / (tokens + 1));
    }
  }

  /** Records that a text was too long; returns whether a shorter one is worth a retry. */
  recordTooLong(model: string, text: string): boolean {
    if (text.length <= SHORTEST) return false;
    const half = Math.max(SHORTEST, Math.floor(text.length / 2));
    this.#learned.set(model, Math.min(half, this.#learned.get(model) ?? Infinity));
    return true;
  }

  clear(): void {
    this.#learned.clear();
  }
}
