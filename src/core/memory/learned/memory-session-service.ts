import type { Kysely } from 'kysely';
import type {
  CreateMemorySession,
  ListMemorySessionsQuery,
  MemorySession,
} from '../../../contract/memory.ts';
import { type Caller, requireOwned, visibleOwner } from '../../auth/caller.ts';
import { namedOwner } from '../../auth/named-owner.ts';
import { AppError } from '../../errors.ts';
import { excessOf, limitReached, type PerUserLimit } from '../../limits/per-user-limit.ts';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/database.ts';
import type { MemorySessionRow } from '../../storage/rows/memory.ts';
import type { Runtime } from '../../runtime.ts';
import { requireConversationOf } from './require-conversation-of.ts';

const perUser: PerUserLimit = {
  table: 'memory_sessions',
  max: 5000,
  noun: 'active memory sessions',
  remedy: 'Archive one first: svc memory sessions ls',
};

export interface MemorySessionServiceDeps {
  database: Database;
  runtime: Runtime;
}

/** Manages memory sessions on behalf of a caller. */
export class MemorySessionService {
  readonly #deps: MemorySessionServiceDeps;
  constructor(deps: MemorySessionServiceDeps) {
    this.#deps = deps;
  }

  async list(
    caller: Caller,
    { status, limit, offset }: ListMemorySessionsQuery,
  ): Promise<{ sessions: MemorySession[]; total: number; limit: number; offset: number }> {
    const ownerId = visibleOwner(caller);
    let matching = this.#deps.database.read.selectFrom('memory_sessions');
    if (ownerId !== undefined) matching = matching.where('owner_id', '=', ownerId);
    if (status !== undefined) matching = matching.where('status', '=', status);
    const [count, rows] = await Promise.all([
      matching.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirst(),
      matching.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute(),
    ]);
    return { sessions: rows.map(toMemorySession), total: count?.n ?? 0, limit, offset };
  }

  /** At the limit, the sessions archived first are removed; it fails only when all are active. */
  async create(
    caller: Caller,
    { name, conversationId, userId }: CreateMemorySession,
  ): Promise<MemorySession> {
    const { database, runtime } = this.#deps;
    const id = runtime.newId('memsess');
    const created_at = runtime.now().toISOString();
    return database.write(async (transaction) => {
      const { db } = transaction;
      const owner_id = await namedOwner(db, caller, userId);
      if (conversationId !== undefined) await requireConversationOf(db, owner_id, conversationId);
      await database.engine.lockUser(db, owner_id);
      await evictArchived(db, owner_id);
      const row: MemorySessionRow = {
        id,
        owner_id,
        name,
        conversation_id: conversationId ?? null,
        status: 'active',
        created_at,
        archived_at: null,
      };
      await db.insertInto('memory_sessions').values(row).execute();
      await caller.auditEntry?.append(transaction, { id });
      return toMemorySession(row);
    });
  }

  async archive(caller: Caller, id: string): Promise<MemorySession> {
    const { database, runtime } = this.#deps;
    const change = { status: 'archived', archived_at: runtime.now().toISOString() };
    return database.write(async (transaction) => {
      const { db } = transaction;
      const found = await database.engine
        .lock(db.selectFrom('memory_sessions').selectAll().where('id', '=', id))
        .executeTakeFirst();
      const row = requireOwned(caller, found, 'Memory session');
      if (row.status !== 'active')
        throw new AppError('wrong_state', 'The memory session is already archived');
      await db.updateTable('memory_sessions').set(change).where('id', '=', id).execute();
      await caller.auditEntry?.append(transaction);
      return toMemorySession({ ...row, ...change });
    });
  }
}

async function evictArchived(db: Kysely<Schema>, ownerId: string): Promise<void> {
  const own = db.selectFrom('memory_sessions').where('owner_id', '=', ownerId);
  const excess = await excessOf(db, perUser, ownerId);
  if (excess <= 0) return;
  const oldest = own
    .select('id')
    .where('status', '=', 'archived')
    .orderBy('archived_at')
    .orderBy('id')
    .limit(excess);
  const { numDeletedRows } = await db
    .deleteFrom('memory_sessions')
    .where('id', 'in', oldest)
    .executeTakeFirstOrThrow();
  if (numDeletedRows < excess) throw limitReached(perUser);
}

const toMemorySession = (row: MemorySessionRow): MemorySession => ({
  id: row.id,
  name: row.name,
  userId: row.owner_id,
  ...(row.conversation_id !== null && { conversationId: row.conversation_id }),
  status: row.status as MemorySession['status'],
  createdAt: row.created_at,
  ...(row.archived_at !== null && { archivedAt: row.archived_at }),
});
