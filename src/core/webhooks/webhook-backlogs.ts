import { AppError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import type { WebhookStore } from './webhook-store.ts';

/** The maximum number of pending deliveries of a failing webhook. */
const MAX_PENDING = 10_000;
/** New rows after which an exceeded backlog is counted again. */
const RECOUNT_AFTER = 1000;

interface Backlog {
  isFull: boolean;
  /** Rows added since the start. */
  added: number;
  /** The value of `added` at which rows are counted again. */
  recountAt: number;
  isCounting: boolean;
}

export interface WebhookBacklogsDeps {
  database: Database;
  store: WebhookStore;
  reportBug: (error: unknown) => void;
  maxPending?: number;
}

/** Limits the pending deliveries of failing webhooks, counting rows only occasionally. */
export class WebhookBacklogs {
  readonly #deps: WebhookBacklogsDeps;
  readonly #maxPending: number;
  readonly #backlogs = new Map<string, Backlog>();

  constructor(deps: WebhookBacklogsDeps) {
    this.#deps = deps;
    this.#maxPending = deps.maxPending ?? MAX_PENDING;
  }

  /** The error of a delivery that exceeds the limit. */
  get refusal(): string {
    return `The webhook is failing and already has ${this.#maxPending} pending deliveries`;
  }

  isFull(webhookId: string): boolean {
    return this.#backlogs.get(webhookId)?.isFull ?? false;
  }

  /** Call it for each committed row. */
  added(webhookId: string): void {
    let backlog = this.#backlogs.get(webhookId);
    // The backlog of a new entry is unknown, so its first row triggers a count.
    if (!backlog)
      this.#backlogs.set(webhookId, (backlog = { isFull: false, added: 0, recountAt: 0, isCounting: false }));
    if (++backlog.added >= backlog.recountAt && !backlog.isCounting) this.#recount(webhookId, backlog);
  }

  /** Call it when a webhook was removed or changed its status; the next row triggers a count. */
  forget(webhookId: string): void {
    this.#backlogs.delete(webhookId);
  }

  /** Counts within a write, so that the daemon waits for it when it stops. */
  #recount(webhookId: string, backlog: Backlog): void {
    const { database, store, reportBug } = this.#deps;
    backlog.isCounting = true;
    database
      .write(async ({ db }) => ({ added: backlog.added, ...(await store.backlog(db, webhookId)) }))
      .then(({ added, waiting, isFailing }) => {
        const isExceeded = waiting >= this.#maxPending;
        backlog.isFull = isExceeded && isFailing;
        backlog.recountAt = added + (isExceeded ? RECOUNT_AFTER : this.#maxPending - waiting);
      })
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) reportBug(error);
      })
      .finally(() => (backlog.isCounting = false));
  }
}
