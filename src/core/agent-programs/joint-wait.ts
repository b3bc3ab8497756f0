type WhileWaiting = <T>(decision: () => Promise<T>) => Promise<T>;

/** Makes one wait of the run out of questions that are open at the same time. */
export class JointWait {
  readonly #whileWaiting: WhileWaiting;
  #open = 0;
  #current: { finish: () => void; ended: Promise<void> } | undefined;

  constructor(whileWaiting: WhileWaiting) {
    this.#whileWaiting = whileWaiting;
  }

  get isOpen(): boolean {
    return this.#open > 0;
  }

  /** The run waits as long as any decision is open; the last one resolves once the run may work again. */
  async during<T>(decision: () => Promise<T>): Promise<T> {
    this.#open++;
    this.#current ??= this.#begin();
    const { finish, ended } = this.#current;
    try {
      return await decision();
    } finally {
      this.#open--;
      if (this.#open === 0) {
        this.#current = undefined;
        finish();
        await ended;
      }
    }
  }

  #begin() {
    const { promise, resolve } = Promise.withResolvers<void>();
    const ended = this.#whileWaiting(() => promise);
    // Who waits for it hears of a failure.
    ended.catch(() => undefined);
    return { finish: resolve, ended };
  }
}
