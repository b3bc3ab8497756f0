import type { Caller } from '../../core/auth/caller.ts';
import { hashToken } from '../../core/auth/hash-token.ts';
import type { EventBus } from '../../core/events.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import type { Runtime } from '../../core/runtime.ts';

/** The end of the part of an id that is signed, which no secret has. */
const ASKS = '~ask';

interface McpSessionDeps {
  keys: Pick<KeyRing, 'hmac'>;
  runtime: Pick<Runtime, 'newSecret'>;
  bus: Pick<EventBus, 'on' | 'emit'>;
}

/**
 * The sessions of clients up to revision 2025-11-25. Nothing is stored: an id says for whom it was made, so that any daemon
 * of a cluster knows it and no other caller can use it. It only names the requests that `notifications/cancelled` may mean,
 * because two clients of one user number theirs alike.
 */
export class McpSessions {
  readonly #deps: McpSessionDeps;
  readonly #running = new Map<string, AbortController>();
  /** No longer hears what clients cancel. */
  readonly close: () => void;

  constructor(deps: McpSessionDeps) {
    this.#deps = deps;
    this.close = deps.bus.on('mcp_cancelled', ({ key }) => this.#running.get(key)?.abort());
  }

  /** A new session; `canAsk` says whether its client can ask the person at it. */
  create(caller: Caller, { canAsk }: { canAsk: boolean }): string {
    const nonce = `${this.#deps.runtime.newSecret(12)}${canAsk ? ASKS : ''}`;
    return `${nonce}.${this.#sign(caller, nonce)}`;
  }

  /** Whether the id was made for the caller. */
  isOf(caller: Caller, id: string): boolean {
    const [nonce = '', signature] = id.split('.');
    return id.length < 200 && signature === this.#sign(caller, nonce);
  }

  /** Whether the client of a session, which has to be known, can ask the person at it. */
  canAsk(id: string): boolean {
    return id.split('.', 1)[0]?.endsWith(ASKS) === true;
  }

  /** A signal that aborts when the client cancels the request; `end` has to be called once it is answered. */
  run(session: string, requestId: string | number): { signal: AbortSignal; end: () => void } {
    const key = keyOf(session, requestId);
    const controller = new AbortController();
    this.#running.set(key, controller);
    const end = () => {
      if (this.#running.get(key) === controller) this.#running.delete(key);
    };
    return { signal: controller.signal, end };
  }

  /** Cancels a request, on whichever daemon it runs; one that does not hear of it ends by its own limit. */
  cancel(session: string, requestId: string | number): void {
    this.#deps.bus.emit('mcp_cancelled', { key: keyOf(session, requestId) });
  }

  #sign({ userId, token }: Caller, nonce: string): string {
    return this.#deps.keys.hmac('codes', `mcp session ${userId} ${token?.id ?? ''} ${nonce}`).slice(0, 32);
  }
}

/** A hash, because it leaves the daemon. */
const keyOf = (session: string, requestId: string | number) =>
  hashToken(`${session} ${JSON.stringify(requestId)}`);
