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

/** Messages about tasks that are as durable as the tasks themselves, such as webhook deliveries. */
export interface TaskOutbox {
  /** Stores in the transaction what is sent after the commit; costs next to nothing while nothing is subscribed. */
  add(transaction: WriteTransaction, happening: TaskHappening): void;
}
