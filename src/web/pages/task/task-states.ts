import type { Task, TaskStatus } from '../../../contract/task.ts';

/** Whether nothing more happens to a task by itself. */
export const isFinished = (status: TaskStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** Whether it runs a command, whose output is the result. */
export const isCommand = ({ agentType, assignedAgent }: Task): boolean =>
  (agentType ?? assignedAgent) === 'command';

/** Whether its result was verified; undefined where there is nothing to say. */
export function trustOf(task: Task): 'verified' | 'claimed' | 'not verified' | undefined {
  const { status, result } = task;
  if (!result) return undefined;
  if (result.verified !== undefined) return result.verified ? 'verified' : 'not verified';
  // The exit code of a command speaks for itself.
  return status === 'completed' && !isCommand(task) ? 'claimed' : undefined;
}
