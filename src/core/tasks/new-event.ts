import type { TaskEvent, TaskEventType } from '../../contract/task.ts';

/** An event before it has a number and a time. */
export interface NewEvent {
  type: TaskEventType;
  message: string;
  data?: TaskEvent['data'];
  /** When it happened, where it is stored later. */
  at?: string;
}
