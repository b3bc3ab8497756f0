import { AppError } from '../errors.ts';
import type { Caller } from './caller.ts';

/** How long an entry is valid; a change by this daemon clears the cache at once. */
const TTL_MS = 1000;
/** How much longer it is valid while the database cannot be read, so that signed-in users can diagnose the fault. */
const STALE_MS = 10 * 60_000;
const MAX_ENTRIES = 1000;

/** Caches resolved callers by their credential for a moment. */
export class CredentialCache {
  readonly #monotonic: () => number;
  readonly #entries = new Map<string, { caller: Caller; until: number }>();
  #generation = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  recall(credential: string): Caller | undefined {
    const entry = this.#entries.get(credential);
    return entry && entry.until > this.#monotonic() ? entry.caller : undefined;
  }

  /** Resolves a caller; a result that was read before the cache was cleared is not stored. */
  async find(credential: string, resolve: () => Promise<Caller | undefined>): Promise<Caller | undefined> {
    const recalled = this.recall(credential);
    if (recalled) return recalled;
    const generation = this.#generation;
    let caller: Caller | undefined;
    try {
      caller = await resolve();
    } catch (error) {
      const stale = this.#entries.get(credential);
      if (error instanceof AppError && stale && stale.until + STALE_MS > this.#monotonic())
        return stale.caller;
      throw error;
    }
    if (!caller || generation !== this.#generation) return caller;
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    this.#entries.set(credential, { caller, until: this.#monotonic() + TTL_MS });
    return caller;
  }

  /** Drops all entries, after a session or token was revoked or rights have changed. */
  clear(): void {
    this.#generation++;
    this.#entries.clear();
  }
}
