/** Says when somebody sends more in a while than anybody needs. */
export class FloodGuard {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #monotonic: () => number;
  #start = -Infinity;
  #taken = 0;

  constructor(limit: number, windowMs: number, monotonic: () => number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#monotonic = monotonic;
  }

  /** Counts; true as soon as it is too much. */
  take(amount: number): boolean {
    const now = this.#monotonic();
    if (now - this.#start >= this.#windowMs) {
      this.#start = now;
      this.#taken = 0;
    }
    this.#taken += amount;
    return this.#taken > this.#limit;
  }
}
