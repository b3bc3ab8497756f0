import type { TaskStatus } from '../../contract/task.ts';

/** All states of tasks; the compiler checks that none is missing. */
const statuses: Record<TaskStatus, true> = {
  pending: true,
  queued: true,
  in_progress: true,
  completed: true,
  failed: true,
  cancelled: true,
};
export const taskStatusNames = Object.keys(statuses) as TaskStatus[];
