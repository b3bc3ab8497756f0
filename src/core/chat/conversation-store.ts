import type { Kysely } from 'kysely';
import type { ConversationRow, MessageRow } from '../storage/rows/conversations.ts';
import type { Database } from '../storage/database.ts';
import { listReader } from '../storage/list-reader.ts';
import type { Schema } from '../storage/schema.ts';

export interface ConversationConditions {
  ownerId: string | undefined;
  taskId?: string | undefined;
  cwd?: string | undefined;
}
export type NewMessage = Omit<MessageRow, 'conversation_id' | 'seq'>;

/** Rows of conversations and their messages. */
export class ConversationStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  find(id: string, db: Kysely<Schema> = this.#database.read): Promise<ConversationRow | undefined> {
    return db.selectFrom('conversations').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** The last used first. */
  async page(where: ConversationConditions, limit: number, offset: number): Promise<ConversationRow[]> {
    const db = await listReader(this.#database, 'conversations');
    return conversationsWhere(db, where)
      .selectAll()
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
  }

  async count(where: ConversationConditions): Promise<number> {
    const db = await listReader(this.#database, 'conversations');
    const query = conversationsWhere(db, where);
    const row = await query.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirst();
    return row?.n ?? 0;
  }

  messages(conversationId: string, afterSeq = 0): Promise<MessageRow[]> {
    return this.#database.read
      .selectFrom('messages')
      .selectAll()
      .where('conversation_id', '=', conversationId)
      .where('seq', '>', afterSeq)
      .orderBy('seq')
      .execute();
  }

  async hasMessage(id: string): Promise<boolean> {
    const row = await this.#database.read
      .selectFrom('messages')
      .select('id')
      .where('id', '=', id)
      .executeTakeFirst();
    return row !== undefined;
  }

  async insert(db: Kysely<Schema>, row: ConversationRow): Promise<void> {
    await db.insertInto('conversations').values(row).execute();
  }

  /** Adds the message as the next one of a conversation that was read in the same transaction. */
  async append(db: Kysely<Schema>, conversation: ConversationRow, message: NewMessage): Promise<MessageRow> {
    const row = { ...message, conversation_id: conversation.id, seq: conversation.message_count + 1 };
    await db.insertInto('messages').values(row).execute();
    await this.change(db, conversation.id, { message_count: row.seq, updated_at: message.created_at });
    return row;
  }

  async changeMessage(
    db: Kysely<Schema>,
    id: string,
    change: Partial<MessageRow>,
  ): Promise<MessageRow | undefined> {
    return db.updateTable('messages').set(change).where('id', '=', id).returningAll().executeTakeFirst();
  }

  async change(db: Kysely<Schema>, id: string, change: Partial<ConversationRow>): Promise<void> {
    await db.updateTable('conversations').set(change).where('id', '=', id).execute();
  }

  async remove(db: Kysely<Schema>, id: string): Promise<void> {
    await db.deleteFrom('messages').where('conversation_id', '=', id).execute();
    await db.deleteFrom('approvals').where('conversation_id', '=', id).execute();
    await db.deleteFrom('allowed_tools').where('scope_id', '=', id).execute();
    await db.deleteFrom('allowed_calls').where('scope_id', '=', id).execute();
    await db.deleteFrom('agent_runs').where('conversation_id', '=', id).execute();
    await db.deleteFrom('file_changes').where('conversation_id', '=', id).execute();
    await db.deleteFrom('conversations').where('id', '=', id).execute();
  }
}

function conversationsWhere(db: Kysely<Schema>, { ownerId, taskId, cwd }: ConversationConditions) {
  let query = db.selectFrom('conversations');
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (taskId !== undefined) query = query.where('task_id', '=', taskId);
  if (cwd !== undefined) query = query.where('cwd', '=', cwd);
  return query;
}
