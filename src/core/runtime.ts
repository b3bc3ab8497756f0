import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** Everything that is not deterministic, so that a test can inject its own. */
export interface Runtime {
  /** Wall-clock time, for what is stored and shown. */
  now: () => Date;
  /** Milliseconds that never jump, for leases, timeouts and durations. */
  monotonic: () => number;
  /** `prefix_` and a UUIDv7: sortable by creation, also of those of one moment. */
  newId: (prefix: string) => string;
  /** From 0 to below 1. */
  random: () => number;
  /** `bytes` of randomness fit for secrets, base64url. */
  newSecret: (bytes: number) => string;
}

/** Random bytes drawn many at a time: asking the system for each id costs more than the rest of the id. */
class RandomPool {
  readonly #bytes = new Uint8Array(16 * 256);
  #next = this.#bytes.length;

  take16(): Uint8Array {
    if (this.#next >= this.#bytes.length) {
      randomFillSync(this.#bytes);
      this.#next = 0;
    }
    return this.#bytes.slice(this.#next, (this.#next += 16));
  }
}

/**
 * UUIDv7 that rise also within a millisecond, and where the clock is set back: sorting by id keeps
 * the order in which they were made.
 */
class RisingIds {
  readonly #pool = new RandomPool();
  #msecs = 0;
  #seq = 0;

  next(): string {
    const random = this.#pool.take16();
    const now = Date.now();
    if (now > this.#msecs) {
      this.#msecs = now;
      // Half of its range is left for the others of this millisecond.
      this.#seq = new DataView(random.buffer).getUint32(6) >>> 1;
    } else this.#seq++;
    return v7({ random, msecs: this.#msecs, seq: this.#seq });
  }
}
const ids = new RisingIds();

export const systemRuntime: Runtime = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  newId: (prefix) => `${prefix}_${ids.next()}`,
  random: () => Math.random(),
  newSecret: (bytes) => randomBytes(bytes).toString('base64url'),
};
