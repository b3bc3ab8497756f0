import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../errors.ts';

/** How long a daemon that stops waits for turns to store how far they got. */
const STOP_MS = 3000;

interface ActiveTurn {
  conversationId: string;
  controller: AbortController;
  done: Promise<unknown>;
}

/** What a streamed turn ends with: the connection of its client, or nothing where it is detached. */
export const clientOfStream = ({ detached }: { detached: boolean }, reader: AbortSignal): AbortSignal =>
  detached ? new AbortController().signal : reader;

/** The turns with tools that run at the moment, each of which can be stopped. */
export class ActiveTurns {
  readonly #turns = new Map<string, ActiveTurn>();
  readonly #stopping = new AbortController();
  /** The connections of clients whose turns wait for an approval, by run. */
  readonly #clients = new Map<string, AbortSignal>();

  /** Aborts when the daemon stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Does the work with a signal that aborts with the client, when the turn is stopped, and when the daemon stops. */
  async run<T>(
    {
      runId,
      conversationId,
      client,
    }: { runId: string; conversationId: string; client?: AbortSignal | undefined },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    const signals = [controller.signal, this.stopping, ...(client ? [client] : [])];
    const done = work(AbortSignal.any(signals));
    this.#turns.set(runId, { conversationId, controller, done });
    try {
      return await done;
    } finally {
      this.#turns.delete(runId);
    }
  }

  isBusy(conversationId: string): boolean {
    return [...this.#turns.values()].some((turn) => turn.conversationId === conversationId);
  }

  /** Stops the turns of a conversation; answers whether there were any. */
  stop(conversationId: string, reason = new AppError('wrong_state', 'The turn was stopped')): boolean {
    const turns = [...this.#turns.values()].filter((turn) => turn.conversationId === conversationId);
    for (const { controller } of turns) controller.abort(reason);
    return turns.length > 0;
  }

  /** Whether a turn that runs was stopped, other than by its client. */
  isStopped(runId: string): boolean {
    return this.#turns.get(runId)?.controller.signal.aborted === true;
  }

  /** Remembers the client of a turn that waits for an approval: the resumed turn ends with it. */
  keepClient(runId: string, client: AbortSignal): void {
    this.#clients.set(runId, client);
    client.addEventListener('abort', () => this.#clients.delete(runId), { once: true });
    if (client.aborted) this.#clients.delete(runId);
  }

  /** The client that still waits for the turn. */
  clientOf(runId: string): AbortSignal | undefined {
    return this.#clients.get(runId);
  }

  forgetClient(runId: string): void {
    this.#clients.delete(runId);
  }

  /** Stops all turns, and resolves when they have stored how far they got. */
  async close(): Promise<void> {
    this.#stopping.abort(new AppError('unavailable', 'The daemon is stopping'));
    const all = Promise.allSettled([...this.#turns.values()].map(({ done }) => done));
    await Promise.race([all, delay(STOP_MS, undefined, { ref: false })]);
  }
}
