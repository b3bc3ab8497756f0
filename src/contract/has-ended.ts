import type { Task } from './task.ts';

/** Whether a task is in a terminal state. */
export const hasEnded = ({ status }: Pick<Task, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';
