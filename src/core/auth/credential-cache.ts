import type { Caller } from './caller.ts';

/** What was found stays known this long; what this daemon ends is forgotten at once. */
const KNOWN_MS = 1000;
const MAX_KNOWN = 1000;

/** Callers that were looked up a moment ago, by what they sent. */
export class CredentialCache {
  readonly #monotonic: () => number;
  readonly #known = new Map<string, { caller: Caller; until: number }>();
  #generation = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  recall(credential: string): Caller | undefined {
    const known = this.#known.get(credential);
    return known && known.until > this.#monotonic() ? known.caller : undefined;
  }

  /** Looks a caller up; what was read before something ended is not kept. */
  async find(credential: string, look: () => Promise<Caller | undefined>): Promise<Caller | undefined> {
    const recalled = this.recall(credential);
    if (recalled) return recalled;
    const generation = this.#generation;
    const caller = await look();
    if (!caller || generation !== this.#generation) return caller;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(credential, { caller, until: this.#monotonic() + KNOWN_MS });
    return caller;
  }

  /** Forgets everything: something has ended, or somebody's rights have changed. */
  clear(): void {
    this.#generation++;
    this.#known.clear();
  }
}
