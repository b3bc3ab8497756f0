import { setTimeout as delay } from 'node:timers/promises';

/** A delay that all who ask for it within its time share, so that what they do afterwards falls into one moment. */
export class SharedDelay {
  readonly #ms: number;
  #current: Promise<void> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Resolves after at most the time of the delay. */
  end(): Promise<void> {
    return (this.#current ??= delay(this.#ms).then(() => {
      this.#current = undefined;
    }));
  }
}
