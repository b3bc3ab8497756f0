import { type Kysely, sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import type { FileChangeRow } from '../storage/rows/file-changes.ts';
import type { Schema } from '../storage/schema.ts';

export type NewChange = Omit<FileChangeRow, 'id' | 'undone_at'>;
/** Whose changes: of a task, or of a conversation. */
export type ChangeOwner = { taskId: string } | { conversationId: string };

/** Rows of the files that runs changed. */
export class ChangeStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  async insert(db: Kysely<Schema>, row: NewChange): Promise<number> {
    const id = sql<number>`(select coalesce(max(id), 0) + 1 from file_changes)`;
    const inserted = await db
      .insertInto('file_changes')
      .values({ ...row, id, undone_at: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    return inserted.id;
  }

  async remove(db: Kysely<Schema>, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await db.deleteFrom('file_changes').where('id', 'in', ids).execute();
  }

  async setDone(db: Kysely<Schema>, id: number): Promise<void> {
    await db.updateTable('file_changes').set({ is_done: 1 }).where('id', '=', id).execute();
  }

  /** In the order of the changes. */
  list(owner: ChangeOwner): Promise<FileChangeRow[]> {
    const query = this.#database.read.selectFrom('file_changes').selectAll().orderBy('id');
    return 'taskId' in owner
      ? query.where('task_id', '=', owner.taskId).execute()
      : query.where('conversation_id', '=', owner.conversationId).execute();
  }

  async hasUnkept(db: Kysely<Schema>, runId: string, owner: ChangeOwner, reason: string): Promise<boolean> {
    const query = db
      .selectFrom('file_changes')
      .select('id')
      .where('run_id', '=', runId)
      .where('unkept', '=', reason);
    const row = await (
      'taskId' in owner
        ? query.where('task_id', '=', owner.taskId)
        : query.where('conversation_id', '=', owner.conversationId)
    ).executeTakeFirst();
    return row !== undefined;
  }

  async setUndone(db: Kysely<Schema>, ids: readonly number[], at: string): Promise<void> {
    for (let from = 0; from < ids.length; from += 500)
      await db
        .updateTable('file_changes')
        .set({ undone_at: at })
        .where('id', 'in', ids.slice(from, from + 500))
        .execute();
  }

  /** The hashes with this prefix of two digits that rows name. */
  async hashesIn(prefix: string): Promise<Set<string>> {
    const { rows } = await sql<{ hash: string }>`
      select before_hash as hash from file_changes where before_hash >= ${prefix} and before_hash < ${`${prefix}g`}
      union select after_hash from file_changes where after_hash >= ${prefix} and after_hash < ${`${prefix}g`}`.execute(
      this.#database.read,
    );
    return new Set(rows.map(({ hash }) => hash));
  }
}
