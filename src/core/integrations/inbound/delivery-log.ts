import type { InboundDelivery } from '../../../contract/inbound.ts';
import { type Vendor, wireName } from '../../../contract/vendors.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Caller } from '../../auth/caller.ts';
import type { ClientInfo } from '../../auth/session-service.ts';
import type { Engine, WriteTransaction } from '../../storage/database.ts';
import { fitName } from './fit-task.ts';
import type { DeliveryNews, InboundStore, KnownDelivery } from './inbound-store.ts';
import type { SourceEvent } from './source-work.ts';

/** A delivery with a valid signature. */
export interface Delivery {
  /** The id of its log entry, unless it is a repeated delivery. */
  id: string;
  provider: Vendor;
  deliveryId: string;
  bodyHash: string;
  bytes: number;
  /** The JSON as received. */
  text: string;
  receivedAt: string;
  /** Why it is refused despite its valid signature. */
  refusal?: string | undefined;
  /** Present for a manual replay. */
  replay?: Replay;
}
export interface Replay {
  /** The id of the original entry. */
  of: string;
  caller: Caller;
  client: ClientInfo;
}
/** The result of processing a delivery. */
export interface Outcome {
  status: InboundDelivery['status'];
  reason?: string;
  taskId?: string;
}

/** An outcome with the id of its log entry. */
export type RecordedOutcome = Outcome & { id: string };

/** Records each delivery once with its outcome, in the transaction of its task. */
export class DeliveryLog {
  readonly #store: InboundStore;
  readonly #audit: AuditLog;
  readonly #engine: Engine;
  constructor({ store, audit, engine }: { store: InboundStore; audit: AuditLog; engine: Engine }) {
    this.#store = store;
    this.#audit = audit;
    this.#engine = engine;
  }

  /**
   * Finds the existing entry of a repeated delivery; a manual replay always gets a new entry. Until the commit no other
   * delivery is processed, which may be of the same work.
   */
  async known(transaction: WriteTransaction, delivery: Delivery): Promise<KnownDelivery | undefined> {
    await this.#engine.enter(transaction.db, 'inbound');
    return delivery.replay ? undefined : this.#store.findKnown(transaction, delivery);
  }

  /** Records the delivery and resolves to the outcome for the response. */
  async write(
    transaction: WriteTransaction,
    delivery: Delivery,
    { event, known, outcome }: { event: SourceEvent; known: KnownDelivery | undefined; outcome: Outcome },
  ): Promise<RecordedOutcome> {
    if (known) return this.#addCopy(transaction, delivery, known, outcome);
    const { id, provider, replay } = delivery;
    await this.#store.insert(transaction, {
      id,
      provider: wireName(provider),
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
        arguments: { delivery: replay.of, provider: wireName(provider) },
        result: outcome.status,
      });
    return { ...outcome, id };
  }

  /** Counts a repeated delivery, and updates the outcome unless the entry already has a task. */
  async #addCopy(
    transaction: WriteTransaction,
    { receivedAt }: Delivery,
    known: KnownDelivery,
    outcome: Outcome,
  ): Promise<RecordedOutcome> {
    const isSettled = known.task_id !== null;
    const isRefused = outcome.status === 'refused';
    // A late copy does not change the outcome of a timely one.
    const isNews = !isSettled && (!isRefused || known.status === 'refused');
    await this.#store.countCopy(transaction, known.id, receivedAt, isNews ? columnsOf(outcome) : undefined);
    const isReported = outcome.status === 'accepted' || (isRefused && !isSettled);
    return { ...outcome, status: isReported ? outcome.status : 'duplicate', id: known.id };
  }
}

const fitOptional = (name: string | undefined) => (name === undefined ? null : fitName(name));

const columnsOf = ({ status, reason, taskId }: Outcome): DeliveryNews => ({
  status,
  reason: fitOptional(reason),
  task_id: taskId ?? null,
});

/** The outcome of a delivery that already has a task. */
export const duplicateOf = (known: KnownDelivery | undefined): Outcome | undefined =>
  known?.task_id
    ? { status: 'duplicate', reason: 'This delivery was received before', taskId: known.task_id }
    : undefined;
