import type { TaskHead } from '../storage/rows/tasks.ts';
import { setImmediate as breathe } from 'node:timers/promises';
import type { TaskStatus } from '../../contract/task.ts';
import type { Database } from '../storage/database.ts';
import type { ActiveRuns } from './active-runs.ts';
import type { TaskAdmission, Wakeable } from './task-admission.ts';
import { type FailureParts, failForGood } from './task-failure.ts';
import type { TaskScanStore } from './task-scan-store.ts';

const PAGE = 1000;
/** A task whose run killed its worker this often is not tried again. */
const POISON_CRASHES = 2;

export interface TaskRecoveryDeps extends FailureParts {
  database: Database;
  scan: TaskScanStore;
  admission: TaskAdmission;
  runs: ActiveRuns;
}

/** Finds what an earlier process left: the rows say what has to run, whatever the queue remembers. */
export class TaskRecovery {
  readonly #deps: TaskRecoveryDeps;
  constructor(deps: TaskRecoveryDeps) {
    this.#deps = deps;
  }

  /** At the start, when no other worker can be alive: every claim is over. */
  async recover(): Promise<void> {
    await this.#eachPage('in_progress', (tasks) => this.#giveBackAll(tasks));
    await this.wakeQueued();
    await this.admitWaiting();
  }

  /** Tells the queue of every queued task, the urgent ones first. */
  async wakeQueued(): Promise<void> {
    const found: Wakeable[] = [];
    await this.#eachPage('queued', async (tasks) => {
      for (const { id, priority, scheduled_for, updated_at } of tasks)
        found.push({ id, priority, scheduled_for, updated_at });
    });
    for (const task of found.sort((a, b) => a.priority - b.priority)) await this.#deps.admission.wake(task);
  }

  /** Looks again at tasks that wait for an agent. */
  async admitWaiting(): Promise<void> {
    await this.#eachPage('pending', async (tasks) => {
      await Promise.all(tasks.map((task) => this.#deps.admission.admit(task)));
    });
  }

  /** Takes back the claims of workers that have not renewed their lease. */
  async takeBackExpired(now: string): Promise<void> {
    await this.#eachPage('in_progress', (tasks) =>
      this.#giveBackAll(
        tasks.filter(({ id, lease_until }) => (lease_until ?? '') < now && !this.#deps.runs.has(id)),
      ),
    );
  }

  async #eachPage(status: TaskStatus, use: (tasks: TaskHead[]) => Promise<void>): Promise<void> {
    for (let last: TaskHead | undefined; ;) {
      const page = await this.#deps.scan.page(status, last, PAGE);
      if (page.length > 0) await use(page);
      if (page.length < PAGE) return;
      last = page.at(-1);
      await breathe();
    }
  }

  async #giveBackAll(tasks: TaskHead[]): Promise<void> {
    const moved = await Promise.all(tasks.map((task) => this.#giveBack(task)));
    for (const task of moved) if (task?.status === 'queued') await this.#deps.admission.wake(task);
  }

  /** Queues a task whose worker died, unless it has been tried often enough or seems to be what killed the worker. */
  #giveBack(task: TaskHead): Promise<TaskHead | undefined> {
    const { database, store, runtime } = this.#deps;
    const crashes = task.crashes + 1;
    const crashed = { ...task, crashes };
    const error =
      crashes >= POISON_CRASHES
        ? {
            class: 'agent_crash' as const,
            code: 'poison',
            message: `The run of this task ended its worker ${crashes} times`,
          }
        : task.attempts >= task.max_attempts
          ? {
              class: 'agent_crash' as const,
              code: 'worker_lost',
              message: 'The worker of the last attempt died',
            }
          : undefined;
    return database.write((transaction) =>
      error
        ? failForGood(this.#deps, transaction, task, error)
        : store.move(
            transaction,
            crashed,
            'requeue',
            runtime.now(),
            { agent_type: null, lease_owner: null, lease_until: null, crashes },
            [{ type: 'requeued', message: 'The worker died; the task runs again', data: { crashes } }],
          ),
    );
  }
}
