import { sql, type SqlBool } from 'kysely';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Caller, requireOwned } from '../auth/caller.ts';
import { AppError, messageOf } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Log } from '../log.ts';
import type { Workspaces } from '../processes/workspaces.ts';
import type { Database } from '../storage/database.ts';
import type { Worktrees } from '../worktrees/worktrees.ts';
import type { TaskOutputs } from './task-outputs.ts';
import type { TaskRemoval } from './task-removal.ts';
import { isTerminal } from './task-states.ts';
import type { TaskStore } from './task-store.ts';
import { taskTies } from './task-ties.ts';

export interface TaskDeletionDeps {
  database: Database;
  store: TaskStore;
  removal: TaskRemoval;
  audit: AuditLog;
  workspaces: Pick<Workspaces, 'remove'>;
  worktrees: Pick<Worktrees, 'tidyOne'>;
  outputs: Pick<TaskOutputs, 'remove'>;
  bus: EventBus;
  log: Log;
}

/** Deletes finished tasks on behalf of a caller. */
export class TaskDeletion {
  readonly #deps: TaskDeletionDeps;
  constructor(deps: TaskDeletionDeps) {
    this.#deps = deps;
  }

  /** Deletes a finished task with its events, its dead letters, its output and the workspace that was created for it. */
  async delete(caller: Caller, id: string, address?: string): Promise<void> {
    const { database, store, removal, audit, bus, worktrees } = this.#deps;
    requireOwned(caller, await store.findHead(id), 'Task');
    await worktrees.tidyOne(id);
    await database.write(async (transaction) => {
      const { db } = transaction;
      const head = requireOwned(caller, await store.lockHead(transaction, id), 'Task');
      if (!isTerminal(head.status))
        throw new AppError(
          'conflict',
          `A task that is ${head.status} cannot be deleted. Cancel it first: svc tasks cancel ${id}`,
        );
      for (const { condition, reason } of taskTies) {
        const { rows } = await sql<{ tied: SqlBool }>`select ${condition} as tied from tasks
          where id = ${id}`.execute(db);
        if (rows[0]?.tied)
          throw new AppError('conflict', `The task cannot be deleted yet: ${reason}. Try again later.`);
      }
      await removal.remove(transaction, [head]);
      await audit.append(transaction, {
        kind: 'security',
        tool: 'tasks.deleted',
        userId: caller.userId,
        taskId: id,
        address,
        arguments: { status: head.status },
        result: 'ok',
      });
      transaction.afterCommit(() => bus.emit('queue', undefined));
    });
    await this.#removeRest(id);
  }

  /** The task is already deleted; the next clean-up retries what fails here. */
  async #removeRest(id: string): Promise<void> {
    const { removal, workspaces, outputs, log } = this.#deps;
    try {
      await removal.removeLeftEvents();
      await workspaces.remove(id);
      await outputs.remove(id);
    } catch (error) {
      log.warn(
        { task: id, reason: messageOf(error) },
        'cleaning up after a deleted task failed and is retried',
      );
    }
  }
}
