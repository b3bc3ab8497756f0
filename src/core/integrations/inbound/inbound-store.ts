import type { InboundDelivery, ListInboundQuery } from '../../../contract/inbound.ts';
import { type Vendor, vendorOf, type WireName, wireName } from '../../../contract/vendors.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { InboundDeliveryRow } from '../../storage/rows/inbound.ts';
import { prepareQuery } from '../../storage/prepared-query.ts';

export type KnownDelivery = Pick<InboundDeliveryRow, 'id' | 'status' | 'reason' | 'task_id'>;
/** The columns that a repeated delivery may change. */
export type DeliveryNews = Pick<InboundDeliveryRow, 'status' | 'reason' | 'task_id'>;
type ListedRow = Omit<InboundDeliveryRow, 'payload' | 'body_hash'> & { has_payload: number };

const knownColumns = ['id', 'status', 'reason', 'task_id'] as const;
const listedColumns = [
  'id',
  'provider',
  'delivery_id',
  'event',
  'action',
  'status',
  'reason',
  'task_id',
  'source_id',
  'sender',
  'copies',
  'bytes',
  'received_at',
  'last_received_at',
  'replay_of',
] as const;

/** Rows of inbound deliveries. Methods that are part of a transaction take it. */
export class InboundStore {
  readonly #database: Database;
  readonly #byDelivery;
  readonly #byBody;
  readonly #insert;
  readonly #countCopy;
  readonly #renew;

  constructor(database: Database) {
    this.#database = database;
    const db = database.read;
    this.#byDelivery = prepareQuery<{ provider: WireName; deliveryId: string }, KnownDelivery>((value) =>
      db
        .selectFrom('inbound_deliveries')
        .select(knownColumns)
        .where('provider', '=', value('provider'))
        .where('delivery_id', '=', value('deliveryId'))
        .where('replay_of', 'is', null),
    );
    this.#byBody = prepareQuery<{ provider: WireName; bodyHash: string }, KnownDelivery>((value) =>
      db
        .selectFrom('inbound_deliveries')
        .select(knownColumns)
        .where('provider', '=', value('provider'))
        .where('body_hash', '=', value('bodyHash'))
        // Prefers the entry with a task, which a replay may have created.
        .orderBy('task_id', (order) => order.desc().nullsLast())
        .orderBy('id')
        .limit(1),
    );
    this.#insert = prepareQuery<InboundDeliveryRow, never>((value) =>
      db.insertInto('inbound_deliveries').values({
        id: value('id'),
        provider: value('provider'),
        delivery_id: value('delivery_id'),
        body_hash: value('body_hash'),
        event: value('event'),
        action: value('action'),
        status: value('status'),
        reason: value('reason'),
        task_id: value('task_id'),
        source_id: value('source_id'),
        sender: value('sender'),
        copies: value('copies'),
        bytes: value('bytes'),
        payload: value('payload'),
        received_at: value('received_at'),
        last_received_at: value('last_received_at'),
        replay_of: value('replay_of'),
      }),
    );
    this.#countCopy = prepareQuery<{ id: string; at: string }, never>((value) =>
      db
        .updateTable('inbound_deliveries')
        .set((is) => ({ copies: is('copies', '+', 1), last_received_at: value('at') }))
        .where('id', '=', value('id')),
    );
    this.#renew = prepareQuery<{ id: string; at: string } & DeliveryNews, never>((value) =>
      db
        .updateTable('inbound_deliveries')
        .set((is) => ({
          copies: is('copies', '+', 1),
          last_received_at: value('at'),
          status: value('status'),
          reason: value('reason'),
          task_id: value('task_id'),
        }))
        .where('id', '=', value('id')),
    );
  }

  /** Finds an earlier entry of the same delivery by id or by content hash, with the task that it created. */
  async findKnown(
    transaction: WriteTransaction,
    delivery: { provider: Vendor; deliveryId: string; bodyHash: string },
  ): Promise<KnownDelivery | undefined> {
    const { deliveryId, bodyHash } = delivery;
    const provider = wireName(delivery.provider);
    const [byId] = await transaction.rows(this.#byDelivery({ provider, deliveryId }));
    if (byId && byId.task_id !== null) return byId;
    const [byBody] = await transaction.rows(this.#byBody({ provider, bodyHash }));
    return byId ? { ...byId, task_id: byBody?.task_id ?? null } : byBody;
  }

  /** Inserts immediately, not at the end of the transaction: the next delivery in the same commit may be a copy. */
  async insert(transaction: WriteTransaction, row: InboundDeliveryRow): Promise<void> {
    await transaction.rows(this.#insert(row));
  }

  /** Without `news`, the recorded outcome stays. */
  async countCopy(transaction: WriteTransaction, id: string, at: string, news?: DeliveryNews): Promise<void> {
    await transaction.rows(news ? this.#renew({ id, at, ...news }) : this.#countCopy({ id, at }));
  }

  find(id: string): Promise<InboundDeliveryRow | undefined> {
    return this.#database.read
      .selectFrom('inbound_deliveries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
  }

  async list(query: ListInboundQuery): Promise<{ rows: ListedRow[]; total: number }> {
    const matching = this.#matching(query);
    const rows = await matching
      .select(listedColumns)
      .select((is) => is('payload', 'is not', null).$castTo<number>().as('has_payload'))
      .orderBy('id', 'desc')
      .limit(query.limit)
      .offset(query.offset)
      .execute();
    const count = await matching.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
    return { rows, total: count.n };
  }

  #matching({ provider, status }: ListInboundQuery) {
    let query = this.#database.read.selectFrom('inbound_deliveries');
    if (provider !== undefined) query = query.where('provider', '=', provider);
    if (status !== undefined) query = query.where('status', '=', status);
    return query;
  }
}

/** The product that sent a delivery. */
export const senderOf = ({ provider }: Pick<InboundDeliveryRow, 'provider'>): Vendor => vendorOf(provider);

export const toInboundDelivery = (row: ListedRow): InboundDelivery => ({
  id: row.id,
  provider: row.provider,
  deliveryId: row.delivery_id,
  event: row.event,
  ...(row.action !== null && { action: row.action }),
  status: row.status as InboundDelivery['status'],
  ...(row.reason !== null && { reason: row.reason }),
  ...(row.task_id !== null && { taskId: row.task_id }),
  ...(row.source_id !== null && { sourceId: row.source_id }),
  ...(row.sender !== null && { sender: row.sender }),
  copies: row.copies,
  bytes: row.bytes,
  receivedAt: row.received_at,
  lastReceivedAt: row.last_received_at,
  ...(row.replay_of !== null && { replayOf: row.replay_of }),
  canReplay: row.has_payload === 1,
});
