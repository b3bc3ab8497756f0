import type { FilterTasksQuery } from '../../contract/tasks.ts';
import type { TaskField } from '../../contract/task.ts';
import type { Position } from './cursor.ts';
import type { StoredTask } from './task-mapping.ts';

/** A part of a list of tasks. */
export interface TaskPage {
  fields: readonly TaskField[];
  /** Also reads the result without its texts, as `outcome`. */
  hasOutcome?: boolean;
  sortBy: FilterTasksQuery['sortBy'];
  sortOrder: FilterTasksQuery['sortOrder'];
  limit: number;
  offset?: number | undefined;
  after?: Position | undefined;
}

/** A row of a list, with the columns that were read. */
export type ListedRow = Partial<StoredTask> & { outcome?: string | null };
