import { charactersIn } from './characters-in.ts';
import { costOfCall, type ModelPrice } from './model-prices.ts';
import type { CallRequest } from './model-request.ts';
import type { AnswerPart } from './resolved-model.ts';

/** Characters of a token where its count is not known: more than it usually has, so that the estimate is low. */
const CHARACTERS = 5;

/** What a call is estimated to have used, in tokens and USD. */
export interface EstimatedUse {
  prompt: number;
  answer: number;
  /** Undefined where the price of the model is unknown. */
  usd: number | undefined;
}

/** Estimates what a call uses while it answers, from the characters of its texts. */
export class AnswerEstimate {
  readonly #request: CallRequest | string | number;
  readonly #price: ModelPrice | undefined;
  #promptTokens: number | undefined;
  #characters = 0;

  /** `request` may also be the number of tokens of the prompt, where it is known. */
  constructor(request: CallRequest | string | number, price: ModelPrice | undefined) {
    this.#request = request;
    this.#price = price;
  }

  take(parts: readonly AnswerPart[]): void {
    for (const part of parts) if ('delta' in part) this.#characters += part.delta.length;
  }

  /** Whether the model has said nothing yet. */
  get isEmpty(): boolean {
    return this.#characters === 0;
  }

  /** Tokens of the prompt and the answer. */
  get tokens(): number {
    return this.#prompt + this.#answer;
  }

  get used(): EstimatedUse {
    const [prompt, answer] = [this.#prompt, this.#answer];
    return { prompt, answer, usd: this.#price && costOfCall(this.#price, { prompt, answer }) };
  }

  get #prompt(): number {
    const request = this.#request;
    return (this.#promptTokens ??=
      typeof request === 'number' ? request : Math.floor(charactersIn(request) / CHARACTERS));
  }

  get #answer(): number {
    return Math.floor(this.#characters / CHARACTERS);
  }
}
