import type { Kysely } from 'kysely';
import type { AuditQuery } from '../../contract/audit.ts';
import type { AuditArchiveRow } from '../storage/rows/retention.ts';
import type { AuditRow } from '../storage/rows/audit.ts';
import type { Database } from '../storage/database.ts';
import { listReader } from '../storage/list-reader.ts';
import type { Schema } from '../storage/schema.ts';

/** Reads entries of the audit log. */
export class AuditStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  async list(query: AuditQuery): Promise<{ rows: AuditRow[]; total: number }> {
    const matching = matchingEntries(await listReader(this.#database, 'audit_log'), query);
    const rows = await matching
      .selectAll()
      .orderBy('seq', 'desc')
      .limit(query.limit)
      .offset(query.offset)
      .execute();
    const count = await matching.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
    return { rows, total: count.n };
  }

  find(id: string): Promise<AuditRow | undefined> {
    return this.#database.read.selectFrom('audit_log').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** The entries after a sequence number, oldest first. */
  page(afterSeq: number, limit: number): Promise<AuditRow[]> {
    return auditPages(this.#database.read).page(afterSeq, limit);
  }

  /** The archives of entries that left the log, oldest first. */
  archives(): Promise<AuditArchiveRow[]> {
    return auditPages(this.#database.read).archives();
  }
}

/** The whole log, in parts. */
export interface AuditPages {
  page(afterSeq: number, limit: number): Promise<AuditRow[]>;
  archives(): Promise<AuditArchiveRow[]>;
}

/** The log as a connection reads it. */
export const auditPages = (db: Kysely<Schema>): AuditPages => ({
  page: (afterSeq, limit) =>
    db.selectFrom('audit_log').selectAll().where('seq', '>', afterSeq).orderBy('seq').limit(limit).execute(),
  archives: () => db.selectFrom('audit_archives').selectAll().orderBy('last_seq').execute(),
});

function matchingEntries(db: Kysely<Schema>, { tool, userId, conversationId, from, to }: AuditQuery) {
  let query = db.selectFrom('audit_log');
  if (tool !== undefined) query = query.where('tool', '=', tool);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (conversationId !== undefined) query = query.where('conversation_id', '=', conversationId);
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<', to);
  return query;
}
