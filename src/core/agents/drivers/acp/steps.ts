/**
 * Recognizes model calls by what they leave: the first text, thought, plan or new call after the start of a turn, after the
 * end of a call or after a report of usage. Calls of one model call that an agent announces one after the other count as several.
 */
export class Steps {
  readonly #onStep: () => void;
  #isInStep = false;

  constructor(onStep: () => void) {
    this.#onStep = onStep;
  }

  /** Something that only a model says. */
  output(): void {
    if (this.#isInStep) return;
    this.#isInStep = true;
    this.#onStep();
  }

  /** Something after which the model is called again. */
  boundary(): void {
    this.#isInStep = false;
  }
}
