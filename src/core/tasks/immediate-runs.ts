import type { WriteTransaction } from '../storage/database.ts';
import type { TaskClaim } from './task-claim.ts';
import type { WholeTask } from './task-columns.ts';
import type { StoredTask } from './task-mapping.ts';

/** Stores a new task with its first claim in one transaction, where `onInsert` is called; resolves to false where it stored nothing. */
export type InsertClaimed = (
  claim: TaskClaim,
  onInsert: (transaction: WriteTransaction, task: StoredTask) => void,
) => Promise<boolean>;
type RunNew = (task: WholeTask, insert: InsertClaimed) => Promise<boolean> | undefined;

/** Where new tasks that need not wait reach the worker of this process, without a commit and a wake-up in between. */
export class ImmediateRuns {
  #runNew: RunNew = () => undefined;

  serve(runNew: RunNew): void {
    this.#runNew = runNew;
  }

  /** Stores and runs a new task, and resolves as `insert`; undefined where the task has to wait, and `insert` is not called. */
  start(task: WholeTask, insert: InsertClaimed): Promise<boolean> | undefined {
    return this.#runNew(task, insert);
  }
}
