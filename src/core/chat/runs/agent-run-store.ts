import type { Kysely } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { prepareQuery } from '../../storage/prepared-query.ts';
import type { Schema } from '../../storage/schema.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import { AppError } from '../../errors.ts';
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

  /** Throws `wrong_state` where another daemon has resumed the run since it got the fence. */
  async save(id: string, change: Partial<AgentRunRow>, fence?: number): Promise<void> {
    await this.#database.write(async ({ db }) => {
      if (fence === undefined) return this.change(db, id, change);
      if (!(await this.changeAt(db, { id, fence }, change))) throw takenOver();
    });
  }

  /** Changes the run unless another daemon has resumed it since; a run that is gone stays so. */
  async changeAt(
    db: Kysely<Schema>,
    { id, fence }: Pick<AgentRunRow, 'id' | 'fence'>,
    change: Partial<AgentRunRow>,
  ): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('agent_runs')
      .set(change)
      .where('id', '=', id)
      .where('fence', '=', fence)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return true;
    return !(await db.selectFrom('agent_runs').select('id').where('id', '=', id).executeTakeFirst());
  }

  /** Makes the daemon the one that runs a message, with the next fence; undefined where another one was faster. */
  claim(
    { id, fence }: Pick<AgentRunRow, 'id' | 'fence'>,
    daemon: string,
    change: Partial<AgentRunRow> = {},
  ): Promise<AgentRunRow | undefined> {
    return this.#database.write(({ db }) =>
      db
        .updateTable('agent_runs')
        .set({ ...change, daemon, fence: fence + 1 })
        .where('id', '=', id)
        .where('fence', '=', fence)
        .where('status', 'in', openStatuses)
        .returningAll()
        .executeTakeFirst(),
    );
  }

  list(ids: readonly string[]): Promise<AgentRunRow[]> {
    return this.#select().where('id', 'in', ids).execute();
  }

  /** As `save`, within a transaction. */
  async change(db: Kysely<Schema>, id: string, change: Partial<AgentRunRow>): Promise<void> {
    await db.updateTable('agent_runs').set(change).where('id', '=', id).execute();
  }

  #select() {
    return this.#database.read.selectFrom('agent_runs').selectAll();
  }
}

export const takenOver = () => new AppError('wrong_state', 'Another daemon has taken over this turn');
