import type { Membership } from '../cluster/membership.ts';
import type { TaskError } from '../../contract/task.ts';
import { HOST_GONE_MS } from '../placement.ts';
import type { Database } from '../storage/database.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import { leaveHome } from './fresh-start.ts';
import type { TaskAdmission } from './task-admission.ts';
import { headColumns } from './task-columns.ts';
import { type FailureParts, failForGood } from './task-failure.ts';

const PAGE = 500;

export interface HostWatchDeps extends FailureParts {
  database: Database;
  admission: Pick<TaskAdmission, 'wake'>;
  membership: Pick<Membership, 'isGone'>;
}

/** Ends the wait of tasks for a host whose daemons are gone: they fail, or start over where nothing is lost. */
export class HostWatch {
  readonly #deps: HostWatchDeps;
  constructor(deps: HostWatchDeps) {
    this.#deps = deps;
  }

  async look(): Promise<void> {
    const { membership } = this.#deps;
    for (const host of await this.#hosts()) {
      if (!membership.isGone(host, HOST_GONE_MS)) continue;
      for (const task of await this.#tasksOf(host)) await this.#end(task, host);
    }
  }

  async #hosts(): Promise<string[]> {
    const rows = await this.#waiting().select('home').distinct().execute();
    return rows.flatMap(({ home }) => home ?? []);
  }

  /** Those of more than one page are found by the next look. */
  #tasksOf(host: string): Promise<TaskHead[]> {
    return this.#waiting().select(headColumns).where('home', '=', host).limit(PAGE).execute();
  }

  #waiting() {
    return this.#deps.database.read
      .selectFrom('tasks')
      .where('status', 'in', ['pending', 'queued'])
      .where('held', '=', 0)
      .where('home', 'is not', null);
  }

  async #end(found: TaskHead, host: string): Promise<void> {
    const { database, store, runtime, admission } = this.#deps;
    const fresh = await database.write(async (transaction) => {
      const task = await store.lockHead(transaction, found.id);
      const isOver = task?.status !== found.status || task.fence !== found.fence || task.home !== host;
      if (isOver) return undefined;
      if (!(await this.#isDisposable(task))) {
        const claimed = await this.#claim(transaction, task);
        if (claimed) await failForGood(this.#deps, transaction, claimed, goneError(host, task));
        return undefined;
      }
      await leaveHome(transaction, task);
      const message = `No daemon has run on the host ${host} for 10 minutes; the task starts over on another`;
      await store.addEvents(transaction, task, runtime.now(), [{ type: 'requeued', message }]);
      return { ...task, home: null };
    });
    if (fresh?.status === 'queued') await admission.wake(fresh);
  }

  /** A task fails from a claim only: this one is without a worker, and no attempt. */
  async #claim(
    transaction: Parameters<typeof failForGood>[1],
    task: TaskHead,
  ): Promise<TaskHead | undefined> {
    const { store, runtime } = this.#deps;
    const now = runtime.now();
    const queued =
      task.status === 'pending' ? await store.move(transaction, task, 'admit', now, {}, []) : task;
    return queued && store.move(transaction, queued, 'claim', now, { fence: queued.fence + 1 }, []);
  }

  /** Whether no agent has worked in its worktree yet, and no other task's. */
  async #isDisposable({ id }: TaskHead): Promise<boolean> {
    const row = await this.#deps.database.read
      .selectFrom('worktrees')
      .innerJoin('tasks', 'tasks.id', 'worktrees.task_id')
      .select('worktrees.state')
      .where('tasks.id', '=', id)
      .where('tasks.continues', 'is', null)
      .executeTakeFirst();
    return row?.state === 'creating' || row?.state === 'created';
  }
}

const goneError = (host: string, { id, cwd }: Pick<TaskHead, 'id' | 'cwd'>): TaskError => ({
  class: 'host_gone',
  code: 'host_gone',
  message: `The task works in ${cwd ?? 'a directory'} on the host ${host}, where no daemon has run for 10 minutes. Start a daemon there again and retry the task, or retry it now to start over on another host: svc tasks retry ${id}`,
});
