import { setTimeout as delay } from 'node:timers/promises';
import type { Approval, DecideApproval } from '../../../contract/approvals.ts';
import { ApiError } from '../../../contract/client.ts';
import type { Connection } from '../../connection/connection.ts';
import { isTransient } from '../../connection/is-transient.ts';
import { followTask } from '../../commands/tasks/follow-task.ts';
import { followLiveFeed } from '../../commands/tasks/live-feed.ts';
import type { WatchEvent } from './watch-state.ts';
import { watchedFields } from './watched-task.ts';

const AGAIN_MS = 1000;
const MOST_OPEN = 200;
const MOST_ENDED = 100;

export interface WatchSessionParts {
  connection: Connection;
  /** A failure in one line with what to do next. */
  formatError: (error: unknown) => string;
  /** Takes an event that may wait for a moment. */
  push: (event: WatchEvent) => void;
  /** Takes an event that should be seen at once. */
  apply: (event: WatchEvent) => void;
}

/** Connects the task list to the daemon; failures of one task are shown there. */
export class WatchSession {
  readonly #parts: WatchSessionParts;
  #attached: AbortController | undefined;
  constructor(parts: WatchSessionParts) {
    this.#parts = parts;
  }

  /** Keeps the list current, across restarts of the daemon, until the signal; rejects where that makes no sense. */
  async run(signal: AbortSignal): Promise<void> {
    const { connection, push } = this.#parts;
    signal.addEventListener('abort', () => this.#attached?.abort());
    while (!signal.aborted) {
      const ended = new AbortController();
      try {
        // Reports a missing right here; a WebSocket would only fail.
        await connection.client.queue.getStatus({}, { signal });
        const loaded = Promise.withResolvers<void>();
        const following = followLiveFeed(connection, {
          onOpen: () => loaded.resolve(this.#load(signal)),
          onMessage: (message) => push({ kind: 'live', message }),
          signal: AbortSignal.any([signal, ended.signal]),
        });
        await Promise.race([loaded.promise, following]);
        await following;
      } catch (error) {
        if (signal.aborted) return;
        if (!isTransient(error)) throw error;
        push({ kind: 'away' });
        await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      } finally {
        ended.abort();
      }
    }
  }

  /** Shows what a task does, from its beginning to its end. */
  async attach(id: string): Promise<void> {
    this.detach();
    const controller = new AbortController();
    const { signal } = controller;
    this.#attached = controller;
    const { connection, push, apply } = this.#parts;
    apply({ kind: 'attached', id });
    await this.#reportErrors(async () => {
      const { task } = await connection.client.tasks.get({ params: { id } }, { signal });
      apply({ kind: 'attachedTask', task });
      const ended = await followTask(connection, id, {
        onEvent: (event) => push({ kind: 'event', id, event }),
        signal,
      });
      apply({ kind: 'ended', task: ended.task });
    }, signal);
  }

  detach(): void {
    this.#attached?.abort();
    this.#attached = undefined;
    this.#parts.apply({ kind: 'detached' });
  }

  async cancel(id: string): Promise<void> {
    await this.#reportErrors(async () => {
      await this.#parts.connection.client.tasks.cancel({ params: { id } });
      this.#parts.push({ kind: 'note', text: 'Cancelled.', tone: 'muted' });
    });
  }

  /** Retries a finished task; returns the ID of the new one. */
  async retry(id: string): Promise<string | undefined> {
    return this.#reportErrors(async () => {
      const { task } = await this.#parts.connection.client.tasks.retry({ params: { id } });
      this.#parts.apply({ kind: 'selected', id: task.id });
      this.#parts.push({ kind: 'note', text: 'Retried as a new task.', tone: 'muted' });
      return task.id;
    });
  }

  async decide(approval: Approval, decision: DecideApproval): Promise<void> {
    const { connection, apply } = this.#parts;
    const { id } = approval;
    apply({ kind: 'decided', id });
    try {
      await connection.decide(id, decision);
    } catch (error) {
      this.#complain(error);
      const isOver = error instanceof ApiError && (error.status === 400 || error.status === 404);
      if (!isOver) apply({ kind: 'undecided', approval });
    }
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { client } = this.#parts.connection;
    const fields = { fields: watchedFields };
    const [queue, running, waiting, ended, approvals] = await Promise.all([
      client.queue.getStatus({}, { signal }),
      client.tasks.list({ query: { ...fields, status: 'in_progress', limit: MOST_OPEN } }, { signal }),
      client.tasks.filter(
        { query: { ...fields, status: 'pending,queued', sortOrder: 'asc', limit: MOST_OPEN } },
        { signal },
      ),
      client.tasks.filter(
        {
          query: {
            ...fields,
            status: 'completed,failed,cancelled',
            sortBy: 'completedAt',
            limit: MOST_ENDED,
          },
        },
        { signal },
      ),
      this.#approvals(signal),
    ]);
    const tasks = [...running.tasks, ...waiting.tasks, ...ended.tasks];
    this.#parts.push({ kind: 'loaded', tasks, queue, approvals });
  }

  /** A token sees tasks and no approvals. */
  async #approvals(signal: AbortSignal): Promise<Approval[]> {
    try {
      return (await this.#parts.connection.client.approvals.list({}, { signal })).approvals;
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return [];
      throw error;
    }
  }

  #complain(error: unknown): void {
    this.#parts.apply({ kind: 'note', text: this.#parts.formatError(error), tone: 'bad' });
  }

  async #reportErrors<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      if (signal?.aborted) return undefined;
      this.#complain(error);
      return undefined;
    }
  }
}
