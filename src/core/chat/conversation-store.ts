import type { Kysely } from 'kysely';
import type { ConversationRow, MessageRow } from '../storage/rows/conversations.ts';
import type { Database } from '../storage/database.ts';
import { listReader } from '../storage/list-reader.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Schema } from '../storage/schema.ts';

export interface ConversationConditions {
  ownerId: string | undefined;
  taskId?: string | undefined;
  cwd?: string | undefined;
}
export type NewMessage = Omit<MessageRow, 'conversation_id' | 'seq'>;

const messageColumns = Object.keys({
  id: true,
  conversation_id: true,
  seq: true,
  role: true,
  content: true,
  provider: true,
  model: true,
  prompt_tokens: true,
  completion_tokens: true,
  total_tokens: true,
  tool_calls: true,
  status: true,
  error: true,
  finish_reason: true,
  reply_to: true,
  steps: true,
  cost_usd: true,
  context_tokens: true,
  context_window: true,
  created_at: true,
} satisfies Record<keyof MessageRow, true>) as (keyof MessageRow)[];

/** Rows of conversations and their messages. */
export class ConversationStore {
  readonly #database: Database;
  readonly #find;
  readonly #lock;
  readonly #messages;
  readonly #count;
  readonly #insert;

  constructor(database: Database) {
    this.#database = database;
    const { read, engine } = database;
    this.#find = prepareQuery<{ id: string }, ConversationRow>((value) =>
      read.selectFrom('conversations').selectAll().where('id', '=', value('id')),
    );
    this.#lock = prepareQuery<{ id: string }, ConversationRow>((value) =>
      engine.lock(read.selectFrom('conversations').selectAll().where('id', '=', value('id'))),
    );
    this.#messages = prepareQuery<{ id: string; after: number }, MessageRow>((value) =>
      read
        .selectFrom('messages')
        .selectAll()
        .where('conversation_id', '=', value('id'))
        .where('seq', '>', value('after'))
        .orderBy('seq'),
    );
    this.#count = prepareQuery<{ id: string; count: number; at: string }, never>((value) =>
      read
        .updateTable('conversations')
        .set({ message_count: value('count'), updated_at: value('at') })
        .where('id', '=', value('id')),
    );
    this.#insert = prepareQuery<MessageRow, never>((value) => {
      const values = Object.fromEntries(messageColumns.map((column) => [column, value(column)]));
      return read.insertInto('messages').values(values as unknown as MessageRow);
    });
  }

  async find(id: string): Promise<ConversationRow | undefined> {
    return (await this.#database.read.executeQuery(this.#find({ id }))).rows[0];
  }

  /** No other transaction adds to the conversation or removes it until the commit. */
  async lock(db: Kysely<Schema>, id: string): Promise<ConversationRow | undefined> {
    return (await db.executeQuery(this.#lock({ id }))).rows[0];
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

  async messages(conversationId: string, afterSeq = 0): Promise<MessageRow[]> {
    const query = this.#messages({ id: conversationId, after: afterSeq });
    return (await this.#database.read.executeQuery(query)).rows;
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

  /** Adds the message as the next one of a conversation that was locked in the same transaction. */
  async append(db: Kysely<Schema>, conversation: ConversationRow, message: NewMessage): Promise<MessageRow> {
    const row = { ...message, conversation_id: conversation.id, seq: conversation.message_count + 1 };
    await db.executeQuery(this.#insert(row));
    await db.executeQuery(this.#count({ id: row.conversation_id, count: row.seq, at: row.created_at }));
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
