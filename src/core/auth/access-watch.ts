import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Caller } from './caller.ts';

export interface AccessWatchDeps {
  bus: EventBus;
  /** What the caller's session, token or being the owner is worth now; undefined where it has ended. */
  lookUp: (caller: Caller) => Promise<Caller | undefined>;
  /** Reports an unexpected error that no caller receives. */
  reportBug: (error: unknown) => void;
}

/**
 * Notices when callers lose access. Long-lived streams need this, because a caller is resolved only at the start of a
 * request.
 */
export class AccessWatch {
  readonly #deps: AccessWatchDeps;
  readonly #watched = new Map<object, { caller: Caller; onEnd: () => void }>();
  #isLooking = false;

  constructor(deps: AccessWatchDeps) {
    this.#deps = deps;
    deps.bus.onGap(() => {
      if (this.#isLooking) return;
      this.#isLooking = true;
      void this.#lookAll().finally(() => (this.#isLooking = false));
    });
  }

  /**
   * Calls `onEnd` when the session or token of the caller ends or the rights of the user change. Returns the function that
   * unsubscribes.
   */
  watch(caller: Caller, onEnd: () => void): () => void {
    const { bus } = this.#deps;
    const key = {};
    this.#watched.set(key, { caller, onEnd });
    const subscriptions = [
      bus.on('session_ended', ({ sessionHash }) => {
        if (sessionHash === caller.sessionHash) onEnd();
      }),
      bus.on('token_ended', ({ tokenId }) => {
        if (tokenId === caller.token?.id) onEnd();
      }),
      bus.on('rights_changed', ({ userId }) => {
        if (userId === caller.userId) onEnd();
      }),
    ];
    return () => {
      this.#watched.delete(key);
      for (const unsubscribe of subscriptions) unsubscribe();
    };
  }

  /** What ended on another daemon may have been missed. */
  async #lookAll(): Promise<void> {
    const byCredential = Map.groupBy(this.#watched.values(), ({ caller }) => credentialOf(caller));
    for (const watches of byCredential.values())
      try {
        const [first] = watches;
        const now = first && (await this.#deps.lookUp(first.caller));
        for (const { caller, onEnd } of watches) if (!now || !isSame(caller, now)) onEnd();
      } catch (error) {
        // Where the database cannot be read, the next look decides.
        if (!(error instanceof AppError)) this.#deps.reportBug(error);
      }
  }
}

const credentialOf = ({ sessionHash, token, userId }: Caller) => sessionHash ?? token?.id ?? userId;

const isSame = (before: Caller, now: Caller): boolean =>
  before.role === now.role &&
  before.isLimited === now.isLimited &&
  before.token?.scopes.join() === now.token?.scopes.join();
