import type { TaskStatus } from '../../contract/task.ts';
import type { WriteTransaction } from '../storage/database.ts';
import type { TaskHead, TaskLabelRow } from '../storage/rows/tasks.ts';

/** A row for each label of the task. */
export const labelRows = ({
  labels,
  created_at,
  seq,
}: Pick<TaskHead, 'labels' | 'created_at' | 'seq'>): TaskLabelRow[] =>
  labels === '[]'
    ? []
    : [...new Set(JSON.parse(labels) as string[])].map((label) => ({ label, created_at, task_seq: seq }));

/** Counts the day's creations and ends. */
export function countDay(
  transaction: WriteTransaction,
  task: TaskHead,
  at: string,
  what: TaskStatus | 'created',
): void {
  if (what !== 'created' && what !== 'completed' && what !== 'failed') return;
  const amounts = { created: 0, completed: 0, failed: 0, [what]: 1 };
  transaction.addLater('task_days', { owner_id: task.owner_id, day: at.slice(0, 10) }, amounts);
}
