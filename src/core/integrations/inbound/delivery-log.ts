import type { InboundDelivery } from '../../../contract/inbound.ts';
import type { ProviderName } from '../../../contract/oauth.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Caller } from '../../auth/caller.ts';
import type { ClientInfo } from '../../auth/session-service.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { fitName } from './fit-task.ts';
import type { DeliveryNews, InboundStore, KnownDelivery } from './inbound-store.ts';
import type { SourceEvent } from './source-work.ts';

/** A delivery whose signature is right. */
export interface Delivery {
  /** Of its entry in the log, unless it came before. */
  id: string;
  provider: ProviderName;
  deliveryId: string;
  bodyHash: string;
  bytes: number;
  /** The JSON as it came. */
  text: string;
  receivedAt: string;
  /** Why it is not taken although it is signed. */
  refusal?: string | undefined;
  /** Present when somebody has it looked at again. */
  replay?: Replay;
}
export interface Replay {
  /** The entry of the delivery as it came. */
  of: string;
  caller: Caller;
  client: ClientInfo;
}
/** What comes of a delivery. */
export interface Outcome {
  status: InboundDelivery['status'];
  reason?: string;
  taskId?: string;
}

/** With the id of its entry. */
export type WrittenOutcome = Outcome & { id: string };

/** Writes down each delivery once, with what came of it, in the transaction of its task. */
export class DeliveryLog {
  readonly #store: InboundStore;
  readonly #audit: AuditLog;
  constructor({ store, audit }: { store: InboundStore; audit: AuditLog }) {
    this.#store = store;
    this.#audit = audit;
  }

  /** The entry that the sender's delivery has already; a replay by hand is always a new one. */
  async known({ db }: WriteTransaction, delivery: Delivery): Promise<KnownDelivery | undefined> {
    return delivery.replay ? undefined : this.#store.findKnown(db, delivery);
  }

  /** Answers what the sender is told of it. */
  async write(
    transaction: WriteTransaction,
    delivery: Delivery,
    { event, known, outcome }: { event: SourceEvent; known: KnownDelivery | undefined; outcome: Outcome },
  ): Promise<WrittenOutcome> {
    if (known) return this.#addCopy(transaction, delivery, known, outcome);
    const { id, provider, replay } = delivery;
    await this.#store.insert(transaction.db, {
      id,
      provider,
      delivery_id: delivery.deliveryId,
      body_hash: delivery.bodyHash,
      event: fitName(event.event),
      action: fitOptional(event.action),
      ...columnsOf(outcome),
      source_id: fitOptional(event.sourceId),
      sender: fitOptional(event.sender),
      copies: 1,
      bytes: delivery.bytes,
      payload: delivery.text,
      received_at: delivery.receivedAt,
      last_received_at: delivery.receivedAt,
      replay_of: replay?.of ?? null,
    });
    if (replay)
      await this.#audit.append(transaction, {
        kind: 'security',
        tool: 'webhooks.replayed',
        userId: replay.caller.userId,
        address: replay.client.address,
        taskId: outcome.taskId,
        arguments: { delivery: replay.of, provider },
        result: outcome.status,
      });
    return { ...outcome, id };
  }

  /** Changes what came of the delivery where that was nothing yet. */
  async #addCopy(
    { db }: WriteTransaction,
    { receivedAt }: Delivery,
    known: KnownDelivery,
    outcome: Outcome,
  ): Promise<WrittenOutcome> {
    const isSettled = known.task_id !== null;
    const isRefused = outcome.status === 'refused';
    // That it comes late does not undo what was found when it came in time.
    const isNews = !isSettled && (!isRefused || known.status === 'refused');
    await this.#store.countCopy(db, known.id, receivedAt, isNews ? columnsOf(outcome) : undefined);
    const isTold = outcome.status === 'accepted' || (isRefused && !isSettled);
    return { ...outcome, status: isTold ? outcome.status : 'duplicate', id: known.id };
  }
}

const fitOptional = (name: string | undefined) => (name === undefined ? null : fitName(name));

const columnsOf = ({ status, reason, taskId }: Outcome): DeliveryNews => ({
  status,
  reason: fitOptional(reason),
  task_id: taskId ?? null,
});
