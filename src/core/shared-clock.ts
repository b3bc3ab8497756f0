import type { Runtime } from './runtime.ts';

/** What the time of the server was at some moment between two moments of this process, in milliseconds. */
export interface ClockSample {
  sentAt: number;
  answeredAt: number;
  serverTime: number;
}

/** Clocks of machines drift apart by less: after a while a new sample is better than a narrow old one. */
const DRIFT = 1 / 10_000;

/**
 * The time of the database, which all daemons of a cluster agree on whatever their own clocks say. Until the first sample
 * it is the time of this machine.
 */
export class SharedClock {
  readonly #runtime: Pick<Runtime, 'now' | 'monotonic'>;
  /** What the time of the server is when the monotonic clock is at 0, and by how much that may be wrong. */
  #known: { origin: number; error: number; at: number } | undefined;

  constructor(runtime: Pick<Runtime, 'now' | 'monotonic'>) {
    this.#runtime = runtime;
  }

  readonly now = (): Date =>
    this.#known ? new Date(this.#known.origin + this.#runtime.monotonic()) : this.#runtime.now();

  /** Keeps the sample unless a better one is known; by `monotonic`. */
  readonly add = ({ sentAt, answeredAt, serverTime }: ClockSample): void => {
    const error = (answeredAt - sentAt) / 2;
    const known = this.#known;
    if (known && known.error + (answeredAt - known.at) * DRIFT < error) return;
    this.#known = { origin: serverTime - (sentAt + answeredAt) / 2, error, at: answeredAt };
  };
}
