import type { TaskHead } from '../storage/rows/tasks.ts';

/**
 * Milliseconds until a task may run, 0 when it may now. Where the clock has been set back to before the wait was
 * decided, the whole wait is what is left at most; else a day's correction would be a day's delay.
 */
export function msUntilDue(task: Pick<TaskHead, 'scheduled_for' | 'updated_at'>, now: Date): number {
  if (task.scheduled_for === null) return 0;
  const decided = Date.parse(task.updated_at);
  return Math.max(0, Date.parse(task.scheduled_for) - Math.max(now.getTime(), decided));
}

/** True where the clock shows a moment before the wait of the task was decided. */
export const isClockBehind = (task: Pick<TaskHead, 'updated_at'>, now: Date): boolean =>
  now.getTime() < Date.parse(task.updated_at);
