import { AppError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import type { WebhookStore } from './webhook-store.ts';

/** Deliveries that may wait for a webhook that fails. */
const MOST_WAITING = 10_000;
/** How many more are taken before one that has more is looked at again. */
const AGAIN_AFTER = 1000;

interface Backlog {
  isFull: boolean;
  /** Rows since the start. */
  added: number;
  /** After so many, the rows are counted again. */
  lookAt: number;
  isLooking: boolean;
}

export interface WebhookBacklogsDeps {
  database: Database;
  store: WebhookStore;
  reportBug: (error: unknown) => void;
  mostWaiting?: number;
}

/** Keeps what waits for webhooks that fail from growing without end; counts rows now and then, not at each of them. */
export class WebhookBacklogs {
  readonly #deps: WebhookBacklogsDeps;
  readonly #most: number;
  readonly #backlogs = new Map<string, Backlog>();

  constructor(deps: WebhookBacklogsDeps) {
    this.#deps = deps;
    this.#most = deps.mostWaiting ?? MOST_WAITING;
  }

  /** What is said of a delivery that there is no room for. */
  get refusal(): string {
    return `The webhook is failing and already has ${this.#most} pending deliveries`;
  }

  isFull(webhookId: string): boolean {
    return this.#backlogs.get(webhookId)?.isFull ?? false;
  }

  /** To be called for each row that was committed. */
  added(webhookId: string): void {
    let backlog = this.#backlogs.get(webhookId);
    // Of one that is new here nothing is known: its first row leads to a look at all.
    if (!backlog)
      this.#backlogs.set(webhookId, (backlog = { isFull: false, added: 0, lookAt: 0, isLooking: false }));
    if (++backlog.added >= backlog.lookAt && !backlog.isLooking) this.#look(webhookId, backlog);
  }

  /** The webhook is gone, or its state is another: the next row leads to a look. */
  forget(webhookId: string): void {
    this.#backlogs.delete(webhookId);
  }

  /** With the writes, so that the daemon waits for it when it stops. */
  #look(webhookId: string, backlog: Backlog): void {
    const { database, store, reportBug } = this.#deps;
    backlog.isLooking = true;
    database
      .write(async ({ db }) => ({ added: backlog.added, ...(await store.backlog(db, webhookId)) }))
      .then(({ added, waiting, isFailing }) => {
        const isOver = waiting >= this.#most;
        backlog.isFull = isOver && isFailing;
        backlog.lookAt = added + (isOver ? AGAIN_AFTER : this.#most - waiting);
      })
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) reportBug(error);
      })
      .finally(() => (backlog.isLooking = false));
  }
}
