/** Detects when a server sends more than the limit within a time window. */
export class FloodGuard {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #monotonic: () => number;
  #start = -Infinity;
  #count = 0;

  constructor(limit: number, windowMs: number, monotonic: () => number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#monotonic = monotonic;
  }

  /** Adds to the count; returns true once it exceeds the limit. */
  take(amount: number): boolean {
    const now = this.#monotonic();
    if (now - this.#start >= this.#windowMs) {
      this.#start = now;
      this.#count = 0;
    }
    this.#count += amount;
    return this.#count > this.#limit;
  }
}
