import type { DeliveredEvent } from '../../contract/webhooks.ts';
import { AppError } from '../errors.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskHappening, TaskOutbox } from '../tasks/task-outbox.ts';
import { deliveryBody, payloadOf, webhookEventsOf } from './event-payloads.ts';
import type { WebhookBacklogs } from './webhook-backlogs.ts';
import type { WebhookDeliverer } from './webhook-deliverer.ts';
import type { WebhookDeliveryStore } from './webhook-delivery-store.ts';
import type { WebhookRegistry } from './webhook-registry.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface WebhookOutboxDeps {
  database: Database;
  registry: Pick<WebhookRegistry, 'of'>;
  backlogs: WebhookBacklogs;
  store: WebhookStore;
  deliveries: Pick<WebhookDeliveryStore, 'insert'>;
  deliverer: Pick<WebhookDeliverer, 'add'>;
  runtime: Runtime;
  reportBug: (error: unknown) => void;
}

/** Creates a delivery for each task event and subscribed webhook, in the transaction of the change. */
export class WebhookOutbox implements TaskOutbox {
  readonly #deps: WebhookOutboxDeps;
  constructor(deps: WebhookOutboxDeps) {
    this.#deps = deps;
  }

  add(transaction: WriteTransaction, happening: TaskHappening): void {
    const subscribers = this.#deps.registry.of(happening.task.owner_id);
    if (subscribers.length === 0) return;
    const { id: taskId, updated_at: at } = happening.task;
    for (const event of webhookEventsOf(happening)) {
      let payload: object | undefined;
      for (const { id: webhookId, events } of subscribers) {
        if (!events.has(event)) continue;
        payload ??= payloadOf(event, happening);
        this.#write(transaction, { webhookId, event, taskId, at, payload });
      }
    }
  }

  #write(
    transaction: WriteTransaction,
    message: { webhookId: string; event: DeliveredEvent; taskId: string; at: string; payload: object },
  ): void {
    const { deliveries, deliverer, backlogs, runtime } = this.#deps;
    const { webhookId, event, taskId, at, payload } = message;
    const id = runtime.newId('dlv');
    const body = deliveryBody({ id, event, at, payload });
    deliveries.insert(transaction, { id, webhook_id: webhookId, event, task_id: taskId, body, at });
    transaction.afterCommit(() => {
      const isRefused = backlogs.isFull(webhookId);
      backlogs.added(webhookId);
      if (isRefused) this.#giveUp(id, at);
      else deliverer.add({ id, webhookId, taskId, attempts: 0, dueAt: Date.parse(at) });
    });
  }

  /** Uses a separate transaction: if it is lost, one more delivery is pending. */
  #giveUp(id: string, at: string): void {
    const { database, store, backlogs, reportBug } = this.#deps;
    database
      .write(({ db }) => store.giveUp(db, id, backlogs.refusal, at))
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) reportBug(error);
      });
  }
}
