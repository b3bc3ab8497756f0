import type { Kysely } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { prepareQuery } from '../../storage/prepared-query.ts';
import type { Schema } from '../../storage/schema.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import { openStatuses } from './open-messages.ts';

/** Rows of runs that outlive a request. */
export class AgentRunStore {
  readonly #database: Database;
  readonly #findByTask;

  constructor(database: Database) {
    this.#database = database;
    this.#findByTask = prepareQuery<{ id: string }, AgentRunRow>((value) =>
      this.#select().where('task_id', '=', value('id')),
    );
  }

  find(id: string): Promise<AgentRunRow | undefined> {
    return this.#select().where('id', '=', id).executeTakeFirst();
  }

  async findByTask(taskId: string): Promise<AgentRunRow | undefined> {
    return (await this.#database.read.executeQuery(this.#findByTask({ id: taskId }))).rows[0];
  }

  /** The runs of messages that have not finished. */
  openMessages(conversationId?: string): Promise<AgentRunRow[]> {
    let query = this.#select().where('kind', '=', 'message').where('status', 'in', openStatuses);
    if (conversationId !== undefined) query = query.where('conversation_id', '=', conversationId);
    return query.orderBy('id').execute();
  }

  async insert(db: Kysely<Schema>, row: AgentRunRow): Promise<void> {
    await db.insertInto('agent_runs').values(row).execute();
  }

  async remove(db: Kysely<Schema>, id: string): Promise<void> {
    await db.deleteFrom('agent_runs').where('id', '=', id).execute();
  }

  async save(id: string, change: Partial<AgentRunRow>): Promise<void> {
    await this.#database.write(({ db }) => this.change(db, id, change));
  }

  /** As `save`, within a transaction. */
  async change(db: Kysely<Schema>, id: string, change: Partial<AgentRunRow>): Promise<void> {
    await db.updateTable('agent_runs').set(change).where('id', '=', id).execute();
  }

  #select() {
    return this.#database.read.selectFrom('agent_runs').selectAll();
  }
}
