import type { CountCell } from '../storage/task-count-store.ts';
import type { TaskConditions } from './task-filters.ts';
import { readSizes, type TaskTotal } from './task-plan.ts';

/** What the counters have of each task. */
const counted: ReadonlySet<string> = new Set(['ownerId', 'status', 'priority', 'source', 'agent']);

/** Whether the counters know of all filters of the list. */
export const isInCounters = (conditions: TaskConditions): boolean =>
  Object.entries(conditions).every(([name, value]) => value === undefined || counted.has(name));

/**
 * How many tasks a list has by the counters of its owner; undefined if only the tasks can tell. The counters have the agent
 * that ran a task; to the list of an agent belong also those that it is only assigned to.
 */
export function totalOf(
  cells: CountCell[],
  { status, priority, source, agent }: TaskConditions,
): TaskTotal | undefined {
  const sum = (of: (cell: CountCell) => boolean) =>
    cells
      .filter(
        (cell) =>
          (!status || status.includes(cell.status)) &&
          (!priority || priority.includes(cell.priority)) &&
          (!source || source.some((wanted) => wanted === cell.source)) &&
          of(cell),
      )
      .reduce((total, { n }) => total + n, 0);
  if (agent === undefined) return { total: sum(() => true) };
  const total = sum((cell) => cell.agent === agent);
  if (sum((cell) => cell.agent === '') === 0) return { total };
  return total > readSizes.indexed ? { total, isLowerBound: true } : undefined;
}
