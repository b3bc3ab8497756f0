import { AppError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import type { WebhookStore } from './webhook-store.ts';

/** The maximum number of pending deliveries of a failing webhook. */
const MAX_PENDING = 10_000;
/** New rows of this daemon after which a backlog is counted again: it may have got shorter, or other daemons add to it too. */
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
  /** Whether other daemons may add rows too. */
  isInCluster: boolean;
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
    const { database, store, isInCluster, reportBug } = this.#deps;
    backlog.isCounting = true;
    database
      .write(async ({ db }) => ({ added: backlog.added, ...(await store.backlog(db, webhookId)) }))
      .then(({ added, waiting, isFailing }) => {
        const isExceeded = waiting >= this.#maxPending;
        backlog.isFull = isExceeded && isFailing;
        const left = this.#maxPending - waiting;
        backlog.recountAt =
          added + (isExceeded || (isInCluster && left > RECOUNT_AFTER) ? RECOUNT_AFTER : left);
      })
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) reportBug(error);
      })
      .finally(() => (backlog.isCounting = false));
  }
}
