import type { TaskHead } from '../storage/rows/tasks.ts';
import type { WriteTransaction } from '../storage/database.ts';
import type { NewEvent } from './new-event.ts';
import type { StoredTask } from './task-mapping.ts';

/** What happened to a task. */
export interface TaskHappening {
  /** The task after it, with the result and the error that it brought. */
  task: TaskHead & Partial<Pick<StoredTask, 'result' | 'error'>>;
  /** The task before it; a new one has none. */
  before?: TaskHead;
  events: readonly NewEvent[];
  /** What a run said that is to be tried again. */
  output?: string | undefined;
}

/** Whoever has to be told of tasks with the same durability as the tasks themselves. */
export interface TaskOutbox {
  /** Leaves in the transaction what has to be sent after it; costs next to nothing while nobody wants to know. */
  add(transaction: WriteTransaction, happening: TaskHappening): void;
}
