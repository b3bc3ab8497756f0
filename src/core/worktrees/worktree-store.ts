import type { PullRequest } from '../../contract/changes.ts';
import { choiceSchema } from '../../contract/best-of.ts';
import { AgentFailure } from '../agents/agent-adapter.ts';
import type { Database } from '../storage/database.ts';
import type { TaskRow } from '../storage/rows/tasks.ts';
import type { WorktreeRow, WorktreeState } from '../storage/rows/worktrees.ts';

export const MAX_WORKTREES = 50;
/** Below the ports that systems give to clients. */
const FIRST_PORT = 21_000;
const PORTS = 10;
const LAST_PORT = 32_000;

export type NewWorktree = Omit<WorktreeRow, 'host' | 'port_base' | 'state'>;

/** The rows of worktrees; those that it lists and reserves are on its host. */
export class WorktreeStore {
  readonly #database: Database;
  readonly #host: string;
  constructor(database: Database, host: string) {
    this.#database = database;
    this.#host = host;
  }

  find(taskId: string): Promise<WorktreeRow | undefined> {
    return this.#database.read
      .selectFrom('worktrees')
      .selectAll()
      .where('task_id', '=', taskId)
      .executeTakeFirst();
  }

  /**
   * The task that has the worktree in which this one works: itself, the one whose session it continues, or the candidate
   * that was chosen for it.
   */
  async ownerOf(id: string): Promise<string> {
    const taskId = (await this.#chosenFor(id)) ?? id;
    const earlier = await this.#database.read
      .withRecursive('earlier', (query) =>
        query
          .selectFrom('tasks')
          .select(['tasks.id', 'tasks.continues'])
          .where('tasks.id', '=', taskId)
          .union(
            query
              .selectFrom('earlier')
              .innerJoin('tasks', 'tasks.id', 'earlier.continues')
              .select(['tasks.id', 'tasks.continues']),
          ),
      )
      .selectFrom('worktrees')
      .innerJoin('earlier', 'earlier.id', 'worktrees.task_id')
      .select('task_id')
      .execute();
    const owners = earlier.map((row) => row.task_id);
    return owners.includes(taskId) ? taskId : (owners[0] ?? taskId);
  }

  async #chosenFor(taskId: string): Promise<string | undefined> {
    const row = await this.#database.read
      .selectFrom('tasks')
      .select('choice')
      .where('id', '=', taskId)
      .where('best_of', 'is not', null)
      .executeTakeFirst();
    return row?.choice ? choiceSchema.parse(JSON.parse(row.choice)).candidateId : undefined;
  }

  /** The tasks among the candidates of this one whose worktrees are there. */
  async candidatesOf(parentId: string): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('worktrees')
      .innerJoin('tasks', 'tasks.id', 'worktrees.task_id')
      .select('task_id')
      .where('tasks.parent_id', '=', parentId)
      .where('worktrees.state', '<>', 'discarded')
      .orderBy('tasks.seq')
      .execute();
    return rows.map(({ task_id }) => task_id);
  }

  /** Whether another candidate was chosen, and nothing continues this one. */
  async isSpare(taskId: string): Promise<boolean> {
    const { read } = this.#database;
    const parent = await read
      .selectFrom('tasks as candidates')
      .innerJoin('tasks as parents', 'parents.id', 'candidates.parent_id')
      .select(['parents.id', 'parents.status'])
      .where('candidates.id', '=', taskId)
      .executeTakeFirst();
    if (parent?.status !== 'completed' || (await this.#chosenFor(parent.id)) === taskId) return false;
    const later = read.selectFrom('tasks').select('id').where('continues', '=', taskId).limit(1);
    return (await later.executeTakeFirst()) === undefined;
  }

  list(): Promise<WorktreeRow[]> {
    return this.#database.read
      .selectFrom('worktrees')
      .selectAll()
      .where('host', 'in', [this.#host, ''])
      .orderBy('created_at')
      .execute();
  }

  /** Whether nothing will work in it any more as far as is known: its task is finished, or deleted. */
  async isIdle(taskId: string): Promise<{ isIdle: boolean; isDeleted: boolean; isTrusted: boolean }> {
    const task = await this.#database.read
      .selectFrom('tasks')
      .select(['status', 'is_trusted'])
      .where('id', '=', taskId)
      .executeTakeFirst();
    const isFinished = !task || ['completed', 'failed', 'cancelled'].includes(task.status);
    const isIdle = isFinished && !(await this.#isContinued(taskId));
    return { isIdle, isDeleted: !task, isTrusted: task?.is_trusted === 1 };
  }

  /** Whether a task that continues this one, or one of those, is not finished. */
  async #isContinued(taskId: string): Promise<boolean> {
    const later = await this.#continuing(taskId);
    return later.some(({ status }) => ['pending', 'queued', 'in_progress'].includes(status));
  }

  /** The tasks that continue this one, and those that continue them. */
  #continuing(taskId: string): Promise<Pick<TaskRow, 'id' | 'status' | 'is_trusted' | 'agent_rule'>[]> {
    return this.#database.read
      .withRecursive('later', (query) =>
        query
          .selectFrom('tasks')
          .select(['tasks.id', 'tasks.status', 'tasks.is_trusted', 'tasks.agent_rule'])
          .where('tasks.continues', '=', taskId)
          .union(
            query
              .selectFrom('later')
              .innerJoin('tasks', 'tasks.continues', 'later.id')
              .select(['tasks.id', 'tasks.status', 'tasks.is_trusted', 'tasks.agent_rule']),
          ),
      )
      .selectFrom('later')
      .selectAll()
      .execute();
  }

  /** The last task that worked in it; undefined where its own was deleted. */
  async lastOf(taskId: string): Promise<string | undefined> {
    const own = await this.#database.read
      .selectFrom('tasks')
      .select('id')
      .where('id', '=', taskId)
      .executeTakeFirst();
    if (!own) return undefined;
    const ids = [own, ...(await this.#continuing(taskId))].map(({ id }) => id);
    // Ids begin with their time.
    return ids.sort().at(-1);
  }

  /** Whether people with rights asked for its task and all that continue it; a rule that trusts a source is no such person. */
  async isTrusted(taskId: string): Promise<boolean> {
    const own = await this.#database.read
      .selectFrom('tasks')
      .select(['is_trusted', 'agent_rule'])
      .where('id', '=', taskId)
      .executeTakeFirst();
    const all = [own, ...(await this.#continuing(taskId))];
    return all.every((task) => task?.is_trusted === 1 && task.agent_rule === null);
  }

  /** The pull request that was opened for the worktree of a task. */
  async pullRequestOf(taskId: string): Promise<PullRequest | undefined> {
    const row = await this.#database.read
      .selectFrom('pull_requests')
      .select(['url', 'number'])
      .where('task_id', '=', taskId)
      .executeTakeFirst();
    if (!row || row.url === null || row.number === null) return undefined;
    return { url: row.url, number: row.number };
  }

  /** Reserves a worktree before it is created, with ports of its own if it needs them. */
  reserve(row: NewWorktree, hasPorts: boolean): Promise<WorktreeRow> {
    return this.#database.write(async ({ db }) => {
      await this.#database.engine.enter(db, 'worktrees');
      const live = await db
        .selectFrom('worktrees')
        .select(['host', 'port_base'])
        .where('state', '<>', 'discarded')
        .execute();
      const own = live.filter(({ host }) => host === this.#host || host === '');
      if (own.length >= MAX_WORKTREES) throw tooMany();
      // Two hosts may be one machine under two names.
      let port = freePort(live);
      if (port > LAST_PORT) port = freePort(own);
      const host = this.#host;
      const stored: WorktreeRow = { ...row, host, port_base: hasPorts ? port : null, state: 'creating' };
      await db.deleteFrom('worktrees').where('task_id', '=', row.task_id).execute();
      await db.insertInto('worktrees').values(stored).execute();
      return stored;
    });
  }

  async setState(taskId: string, state: WorktreeState): Promise<void> {
    await this.#database.write(({ db }) =>
      db.updateTable('worktrees').set({ state }).where('task_id', '=', taskId).execute(),
    );
  }

  async remove(taskId: string): Promise<void> {
    await this.#database.write(({ db }) =>
      db.deleteFrom('worktrees').where('task_id', '=', taskId).execute(),
    );
  }
}

function freePort(live: readonly Pick<WorktreeRow, 'port_base'>[]): number {
  const taken = new Set(live.map(({ port_base }) => port_base));
  let port = FIRST_PORT;
  while (taken.has(port)) port += PORTS;
  return port;
}

const tooMany = () =>
  new AgentFailure(
    'invalid_input',
    'too_many_worktrees',
    `There are ${MAX_WORKTREES} worktrees, the most that svc keeps. Remove one that you no longer need: svc tasks discard ID`,
    { isFinal: true },
  );
