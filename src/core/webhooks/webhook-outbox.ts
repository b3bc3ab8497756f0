import type { DeliveredEvent, WebhookEvent } from '../../contract/webhooks.ts';
import type { ApprovalOutbox } from '../approvals/approval-outbox.ts';
import { AppError } from '../errors.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskHappening, TaskOutbox } from '../tasks/task-outbox.ts';
import { type ApprovalContext, approvalPayload, waitingPayload } from './approval-payloads.ts';
import { deliveryBody, webhookEventsOf } from './event-payloads.ts';
import type { WebhookBacklogs } from './webhook-backlogs.ts';
import type { StoredDelivery, WebhookDeliverer } from './webhook-deliverer.ts';
import type { WebhookDeliveryStore } from './webhook-delivery-store.ts';
import type { Subscriber, WebhookRegistry } from './webhook-registry.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface WebhookOutboxDeps {
  database: Database;
  registry: Pick<WebhookRegistry, 'of'>;
  backlogs: WebhookBacklogs;
  store: WebhookStore;
  deliveries: Pick<WebhookDeliveryStore, 'insert'>;
  deliverer: Pick<WebhookDeliverer, 'add'>;
  /** The public URL of the daemon, for links. */
  baseUrl: () => string | undefined;
  runtime: Runtime;
  reportBug: (error: unknown) => void;
}

/** An event for every subscriber. */
interface OutboxMessage {
  event: DeliveredEvent;
  taskId: string | null;
  approvalId: string | null;
  at: string;
  payload: object;
}

/** Creates a delivery for each event and subscribed webhook, in the transaction of the change. */
export class WebhookOutbox implements TaskOutbox, ApprovalOutbox {
  readonly #deps: WebhookOutboxDeps;
  constructor(deps: WebhookOutboxDeps) {
    this.#deps = deps;
  }

  add(transaction: WriteTransaction, happening: TaskHappening): void {
    const subscribers = this.#deps.registry.of(happening.task.owner_id);
    if (subscribers.length === 0) return;
    const { id: taskId, updated_at: at } = happening.task;
    const isWanted = (event: WebhookEvent) => subscribers.some(({ events }) => events.has(event));
    for (const { event, payload } of webhookEventsOf(happening, isWanted))
      for (const { id, events } of subscribers)
        if (events.has(event)) this.#write(transaction, id, { event, taskId, approvalId: null, at, payload });
  }

  async addApproval(transaction: WriteTransaction, row: ApprovalRow): Promise<void> {
    const isRequest = row.status === 'pending';
    const event = isRequest ? 'approval.requested' : 'approval.decided';
    const waits = isRequest && row.task_id !== null;
    const all = this.#deps.registry.of(row.owner_id);
    const informed = all.filter(({ events }) => events.has(event));
    const waiting = waits ? all.filter(hearsOfWaiting) : [];
    if (informed.length + waiting.length === 0) return;
    const context = await this.#contextOf(transaction, row);
    const at = row.decided_at ?? row.requested_at;
    const about = { taskId: row.task_id, approvalId: row.id, at };
    for (const { id } of informed)
      this.#write(transaction, id, { ...about, event, payload: approvalPayload(row, context) });
    for (const { id } of waiting)
      this.#write(transaction, id, {
        ...about,
        event: 'task.waiting',
        payload: waitingPayload(row, context),
      });
  }

  async #contextOf({ db }: WriteTransaction, { task_id, decided_by }: ApprovalRow): Promise<ApprovalContext> {
    const task =
      task_id === null
        ? undefined
        : await db.selectFrom('tasks').select('title').where('id', '=', task_id).executeTakeFirst();
    const person =
      decided_by === null
        ? undefined
        : await db.selectFrom('users').select('name').where('id', '=', decided_by).executeTakeFirst();
    return { taskTitle: task?.title, decidedByName: person?.name, baseUrl: this.#deps.baseUrl() };
  }

  #write(transaction: WriteTransaction, webhookId: string, message: OutboxMessage): void {
    const { deliveries, deliverer, backlogs, runtime } = this.#deps;
    const { event, taskId, approvalId, at, payload } = message;
    const id = runtime.newId('dlv');
    deliveries.insert(transaction, {
      id,
      webhook_id: webhookId,
      event,
      task_id: taskId,
      approval_id: approvalId,
      body: deliveryBody({ id, event, at, payload }),
      at,
    });
    transaction.afterCommit(() => {
      const isRefused = backlogs.isFull(webhookId);
      backlogs.added(webhookId);
      const stored = { id, webhookId, taskId, approvalId, attempts: 0, dueAt: Date.parse(at) };
      if (isRefused) this.#giveUp(stored, at);
      else deliverer.add(stored);
    });
  }

  /** Uses a separate transaction: if it is lost, one more delivery is pending. */
  #giveUp(stored: StoredDelivery, at: string): void {
    const { database, store, backlogs, deliverer, reportBug } = this.#deps;
    database
      .write(({ db }) => store.giveUp(db, stored.id, backlogs.refusal, at))
      .then((isFailing) => {
        if (isFailing) return;
        // Another daemon has reactivated it.
        backlogs.forget(stored.webhookId);
        deliverer.add(stored);
      })
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) reportBug(error);
      });
  }
}

/** People who are asked for the decision itself get no second message that the task waits for it. */
const hearsOfWaiting = ({ events, format }: Subscriber): boolean =>
  events.has('task.waiting') && !(format === 'text' && events.has('approval.requested'));
