import type { WebhookStore } from './webhook-store.ts';

/** Deliveries that may wait for a webhook that fails. */
const MOST_WAITING = 10_000;
/** How many more are taken before one that has more is looked at again. */
const AGAIN_AFTER = 1000;

interface Backlog {
  isFull: boolean;
  /** How many may be added before the rows are counted again. */
  room: number;
  isLooking: boolean;
}

export interface WebhookBacklogsParts {
  store: WebhookStore;
  reportBug: (error: unknown) => void;
  mostWaiting?: number;
}

/** Keeps what waits for webhooks that fail from growing without end; counts rows now and then, not at each of them. */
export class WebhookBacklogs {
  readonly #parts: WebhookBacklogsParts;
  readonly #most: number;
  readonly #backlogs = new Map<string, Backlog>();

  constructor(parts: WebhookBacklogsParts) {
    this.#parts = parts;
    this.#most = parts.mostWaiting ?? MOST_WAITING;
  }

  /** What is said of a delivery that there is no room for. */
  get refusal(): string {
    return `The webhook is failing and ${this.#most} deliveries wait for it already`;
  }

  isFull(webhookId: string): boolean {
    return this.#backlogs.get(webhookId)?.isFull ?? false;
  }

  /** To be called for each row that was committed. */
  added(webhookId: string): void {
    let backlog = this.#backlogs.get(webhookId);
    // Of one that is new here nothing is known: the first row leads to a look at all.
    if (!backlog) this.#backlogs.set(webhookId, (backlog = { isFull: false, room: 1, isLooking: false }));
    if (--backlog.room > 0 || backlog.isLooking) return;
    backlog.isLooking = true;
    this.#look(webhookId, backlog)
      .catch(this.#parts.reportBug)
      .finally(() => (backlog.isLooking = false));
  }

  /** The webhook is gone, or works again. */
  forget(webhookId: string): void {
    this.#backlogs.delete(webhookId);
  }

  async #look(webhookId: string, backlog: Backlog): Promise<void> {
    const { waiting, isFailing } = await this.#parts.store.backlog(webhookId);
    const isOver = waiting >= this.#most;
    backlog.isFull = isOver && isFailing;
    backlog.room = isOver ? AGAIN_AFTER : this.#most - waiting;
  }
}
