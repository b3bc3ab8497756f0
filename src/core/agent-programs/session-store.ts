import { inheritedSession } from '../tasks/inherited-session.ts';
import type { Database } from '../storage/database.ts';
import { isDirectory } from '../paths/is-directory.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import type { TaskSessionRow } from '../storage/rows/agent-sessions.ts';

/** A session with the task that worked in it last. */
export type ListedSession = TaskSessionRow & Pick<TaskHead, 'status'> & { title: string };

/** Stores the sessions of agents by task. */
export class SessionStore {
  /** Where its sessions are; empty where there is only one host. */
  readonly host: string;
  readonly #database: Database;
  constructor(database: Database, host: string) {
    this.#database = database;
    this.host = host;
  }

  /** The session of a task, unless it is on another host. */
  find(taskId: string, agent: string): Promise<TaskSessionRow | undefined> {
    return this.#database.read
      .selectFrom('task_sessions')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('agent', '=', agent)
      .where('host', 'in', [this.host, ''])
      .executeTakeFirst();
  }

  /** The session of a task, or of one that it continues. */
  inherited(taskId: string, agent: string): Promise<TaskSessionRow | undefined> {
    return inheritedSession(this.#database.read, taskId, agent);
  }

  /** The newest session of a task, of any agent. */
  latest(taskId: string): Promise<TaskSessionRow | undefined> {
    return this.#database.read
      .selectFrom('task_sessions')
      .selectAll()
      .where('task_id', '=', taskId)
      .orderBy('updated_at', 'desc')
      .limit(1)
      .executeTakeFirst();
  }

  /**
   * Sessions that a new task can continue, newest first: each once, with the last task that worked in it. Those whose
   * directory is gone from this host are left out, but count towards the limit and the total.
   */
  async listOpen({
    ownerId,
    agent,
    limit,
    offset,
  }: {
    /** All users if undefined. */
    ownerId: string | undefined;
    agent?: string | undefined;
    limit: number;
    offset: number;
  }): Promise<{ found: ListedSession[]; total: number }> {
    const { read } = this.#database;
    let ranked = read
      .selectFrom('task_sessions as session')
      .innerJoin('tasks as task', 'task.id', 'session.task_id')
      .select(['session.agent', 'session.session_id', 'session.cli_version', 'session.cwd', 'session.host'])
      .select(['session.updated_at', 'task.id as task_id', 'task.title', 'task.status'])
      .select(({ fn }) =>
        fn
          .agg<number>('row_number')
          .over((over) =>
            over
              .partitionBy(['session.agent', 'session.session_id'])
              .orderBy('session.updated_at', 'desc')
              .orderBy('task.seq', 'desc'),
          )
          .as('position'),
      );
    if (ownerId !== undefined) ranked = ranked.where('task.owner_id', '=', ownerId);
    if (agent !== undefined) ranked = ranked.where('session.agent', '=', agent);
    const sessions = read
      .selectFrom(ranked.as('ranked'))
      .select([
        'agent',
        'session_id',
        'cli_version',
        'cwd',
        'host',
        'updated_at',
        'task_id',
        'title',
        'status',
      ])
      .where('position', '=', 1)
      .where('status', 'in', ['completed', 'failed', 'cancelled']);
    const [page, counted] = await Promise.all([
      sessions.orderBy('updated_at', 'desc').limit(limit).offset(offset).execute(),
      read
        .selectFrom(sessions.as('sessions'))
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .executeTakeFirst(),
    ]);
    const isThere = await Promise.all(
      page.map(async ({ cwd, host }) => (host !== '' && host !== this.host) || isDirectory(cwd)),
    );
    return { found: page.filter((_, index) => isThere[index]), total: counted?.n ?? 0 };
  }

  async save(row: TaskSessionRow): Promise<void> {
    const { task_id: _task, agent: _agent, ...changed } = row;
    await this.#database.write(async ({ db }) => {
      await db
        .insertInto('task_sessions')
        .values(row)
        .onConflict((conflict) => conflict.columns(['task_id', 'agent']).doUpdateSet(changed))
        .execute();
    });
  }

  async remove(taskId: string, agent: string): Promise<void> {
    await this.#database.write(async ({ db }) => {
      await db.deleteFrom('task_sessions').where('task_id', '=', taskId).where('agent', '=', agent).execute();
    });
  }
}
