import { AppError } from '../errors.ts';

const RETRY_AFTER_MS = 5000;

/** How many streams each user has open: task events, live connections and answers of models. */
export class OpenStreams {
  readonly #max: () => number;
  readonly #counts = new Map<string, number>();

  constructor(max: () => number) {
    this.#max = max;
  }

  /** Counts one more, or throws; the answer ends it, once. */
  open(userId: string): () => void {
    const count = this.#counts.get(userId) ?? 0;
    const max = this.#max();
    if (count >= max)
      throw new AppError(
        'rate_limited',
        `Limit reached: ${max} open streams per user (limits.streamsPerUser). Close one first.`,
        { retryAfterMs: RETRY_AFTER_MS },
      );
    this.#counts.set(userId, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const rest = (this.#counts.get(userId) ?? 1) - 1;
      if (rest > 0) this.#counts.set(userId, rest);
      else this.#counts.delete(userId);
    };
  }
}
