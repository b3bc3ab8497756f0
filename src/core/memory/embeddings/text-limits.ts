import { estimateTokens } from '../../text/token-estimate.ts';

/** What the models of most vendors take. */
const USUAL_TOKENS = 8000;
/** Below that it is not the length that a model does not like. */
const SHORTEST = 400;

/** How much of a text each model is sent; learned where a model takes less than usual. */
export class TextLimits {
  readonly #learned = new Map<string, number>();

  /** The beginning of the text that the model takes, as something that can be sent. */
  cut(model: string, text: string): string {
    let longest = Math.min(text.length, this.#learned.get(model) ?? Infinity);
    for (;;) {
      // Half of a character has no meaning.
      const part = text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '');
      const tokens = estimateTokens(part);
      if (tokens <= USUAL_TOKENS) return part.toWellFormed();
      longest = Math.floor((longest * USUAL_TOKENS) / (tokens + 1));
    }
  }

  /** The text was too long for the model; answers whether it is worth trying with less. */
  wasTooLong(model: string, text: string): boolean {
    if (text.length <= SHORTEST) return false;
    const half = Math.max(SHORTEST, Math.floor(text.length / 2));
    this.#learned.set(model, Math.min(half, this.#learned.get(model) ?? Infinity));
    return true;
  }

  clear(): void {
    this.#learned.clear();
  }
}
