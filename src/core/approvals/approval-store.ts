import { type Kysely, sql } from 'kysely';
import type { ApprovalCoverage } from '../../contract/approvals.ts';
import type { Database } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import type { AllowedCallRow, AllowedToolRow, ApprovalRow } from '../storage/rows/approvals.ts';
import type { EditedFacts } from './approval-facts.ts';
import type { NeedsSignature } from './signature-policy.ts';

/** What an `allow-always` was given for: calls like this one, or all calls of the tool; undefined where there is none. */
export type AllowedBy = 'call' | 'tool' | undefined;

/** Stores approvals and what is always allowed in a conversation or task. */
export class ApprovalStore {
  readonly #database: Database;
  readonly #needsSignature: NeedsSignature;
  constructor(database: Database, needsSignature: NeedsSignature = () => false) {
    this.#database = database;
    this.#needsSignature = needsSignature;
  }

  find(id: string, db: Kysely<Schema> = this.#database.read): Promise<ApprovalRow | undefined> {
    return db.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** The same inside a transaction; no other transaction changes it until the end of this one. */
  findLocked(id: string, db: Kysely<Schema>): Promise<ApprovalRow | undefined> {
    const query = this.#database.engine.lock(db.selectFrom('approvals').selectAll());
    return query.where('id', '=', id).executeTakeFirst();
  }

  /** Approvals of one owner or of all; pending ones oldest first, otherwise newest first. */
  list(where: {
    ownerId: string | undefined;
    pendingAt: string | undefined;
    taskId?: string | undefined;
    limit: number;
  }) {
    let query = this.#database.read.selectFrom('approvals').selectAll().limit(where.limit);
    if (where.ownerId !== undefined) query = query.where('owner_id', '=', where.ownerId);
    if (where.taskId !== undefined) query = query.where('task_id', '=', where.taskId);
    if (where.pendingAt === undefined) return query.orderBy('id', 'desc').execute();
    return query
      .where('status', '=', 'pending')
      .where('expires_at', '>', where.pendingAt)
      .orderBy('id')
      .execute();
  }

  listByRun(runId: string): Promise<ApprovalRow[]> {
    return this.#database.read
      .selectFrom('approvals')
      .selectAll()
      .where('run_id', '=', runId)
      .orderBy('id')
      .execute();
  }

  listPendingByConversation(conversationId: string, now: string): Promise<ApprovalRow[]> {
    return this.#database.read
      .selectFrom('approvals')
      .selectAll()
      .where('scope_id', '=', conversationId)
      .where('status', '=', 'pending')
      .where('expires_at', '>', now)
      .orderBy('id')
      .execute();
  }

  /** The request for exactly this call that was made last, also a decided one. */
  findLatest({ scopeId, binding }: { scopeId: string; binding: string }): Promise<ApprovalRow | undefined> {
    return this.#database.read
      .selectFrom('approvals')
      .selectAll()
      .where('scope_id', '=', scopeId)
      .where('binding', '=', binding)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
  }

  /** An approval for exactly this call that is pending, or approved and not used yet. */
  findOpen(
    db: Kysely<Schema>,
    { scopeId, binding, now }: { scopeId: string; binding: string; now: string },
  ): Promise<ApprovalRow | undefined> {
    return db
      .selectFrom('approvals')
      .selectAll()
      .where('scope_id', '=', scopeId)
      .where('status', 'in', ['pending', 'approved'])
      .where('binding', '=', binding)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
  }

  async insert(db: Kysely<Schema>, row: ApprovalRow): Promise<void> {
    await db.insertInto('approvals').values(row).execute();
  }

  /** Decides a pending approval; undefined if it is already decided or expired. */
  decide(
    db: Kysely<Schema>,
    id: string,
    change: Pick<
      ApprovalRow,
      'status' | 'decision' | 'decided_at' | 'decided_by' | 'denial_reason' | 'decider'
    > &
      Partial<EditedFacts>,
    now: string,
  ): Promise<ApprovalRow | undefined> {
    return db
      .updateTable('approvals')
      .set(change)
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .where('expires_at', '>', now)
      .returningAll()
      .executeTakeFirst();
  }

  /** Other pending approvals that an allow-always of this one covers; never one that is asked for each time. */
  pendingCovered(
    db: Kysely<Schema>,
    { id, scope_id, tool, covers_key }: ApprovalRow,
    coverage: ApprovalCoverage,
    now: string,
  ): Promise<ApprovalRow[]> {
    const query = db
      .selectFrom('approvals')
      .selectAll()
      .where('scope_id', '=', scope_id)
      .where('status', '=', 'pending')
      .where('expires_at', '>', now)
      .where('id', '!=', id)
      .where('coverable', '=', 1)
      .where('tool', '=', tool)
      .orderBy('id');
    // A call of which "always" covers nothing has no key, and equals none.
    return (coverage === 'tool' ? query : query.where('covers_key', '=', covers_key)).execute();
  }

  /** Assigns the approval to another run. */
  reassign(
    db: Kysely<Schema>,
    id: string,
    by: Pick<ApprovalRow, 'run_id' | 'call_id'>,
  ): Promise<ApprovalRow | undefined> {
    return db.updateTable('approvals').set(by).where('id', '=', id).returningAll().executeTakeFirst();
  }

  /** Marks an approval as used; false if it is used, not approved, or expired. */
  async use(db: Kysely<Schema>, id: string, now: string): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('approvals')
      .set({ used_at: now })
      .where('id', '=', id)
      .where('status', '=', 'approved')
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** Expires pending approvals past their deadline. */
  expire(db: Kysely<Schema>, now: string): Promise<ApprovalRow[]> {
    return db
      .updateTable('approvals')
      .set({ status: 'expired', decided_at: now })
      .where('status', '=', 'pending')
      .where('expires_at', '<=', now)
      .returningAll()
      .execute();
  }

  /** Expires the pending approvals of a run. */
  expireForRun(db: Kysely<Schema>, runId: string, now: string): Promise<ApprovalRow[]> {
    return db
      .updateTable('approvals')
      .set({ status: 'expired', decided_at: now })
      .where('run_id', '=', runId)
      .where('status', '=', 'pending')
      .returningAll()
      .execute();
  }

  /** How many approvals a run, and its owner, wait for. */
  async countPending(
    db: Kysely<Schema>,
    { runId, ownerId, now }: { runId: string; ownerId: string; now: string },
  ): Promise<{ ofRun: number; ofOwner: number }> {
    const row = await db
      .selectFrom('approvals')
      .select((expression) => [
        expression.fn.countAll<number>().as('ofOwner'),
        expression.fn
          .sum<number | null>(expression.case().when('run_id', '=', runId).then(1).else(0).end())
          .as('ofRun'),
      ])
      .where('owner_id', '=', ownerId)
      .where('status', '=', 'pending')
      .where('expires_at', '>', now)
      .executeTakeFirstOrThrow();
    return { ofRun: Number(row.ofRun ?? 0), ofOwner: Number(row.ofOwner) };
  }

  /**
   * Whether a person allowed this kind of call, or its tool as a whole. A call whose danger needs a signature is covered
   * only by what was signed.
   */
  async allowedBy(scopeId: string, tool: string, coversKey: string, danger: string): Promise<AllowedBy> {
    const { read } = this.#database;
    const leastSigned = this.#needsSignature(danger) ? 1 : 0;
    const kind = await read
      .selectFrom('allowed_calls')
      .select('tool')
      .where('scope_id', '=', scopeId)
      .where('covers_key', '=', coversKey)
      .where('signed', '>=', leastSigned)
      .executeTakeFirst();
    if (kind) return 'call';
    const whole = await read
      .selectFrom('allowed_tools')
      .select('tool')
      .where('scope_id', '=', scopeId)
      .where('tool', '=', tool)
      .where('signed', '>=', leastSigned)
      .executeTakeFirst();
    return whole && 'tool';
  }

  async allowKind(db: Kysely<Schema>, row: AllowedCallRow): Promise<void> {
    await db
      .insertInto('allowed_calls')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['scope_id', 'covers_key']).doUpdateSet(signedIf('allowed_calls', row)),
      )
      .execute();
  }

  async allow(db: Kysely<Schema>, row: AllowedToolRow): Promise<void> {
    await db
      .insertInto('allowed_tools')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['scope_id', 'tool']).doUpdateSet(signedIf('allowed_tools', row)),
      )
      .execute();
  }
}

/** What was allowed before stays as it was, but for a signature that is new. */
const signedIf = (table: 'allowed_calls' | 'allowed_tools', { signed }: { signed: number }) =>
  signed === 1 ? { signed } : { signed: sql.ref<number>(`${table}.signed`) };
