import type { Task } from '../../../contract/task.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';

/** Whether nothing more happens to a task by itself. */
export const hasEnded = ({ status }: Pick<Task, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** The exit code that says how a task ended, or that it has not. */
export function exitCodeOfTask({ status, error }: Pick<Task, 'status' | 'error'>): ExitCode {
  if (status === 'completed') return exitCodes.done;
  if (status === 'cancelled') return exitCodes.cancelled;
  if (status !== 'failed') return exitCodes.pending;
  if (error?.class === 'budget') return exitCodes.overBudget;
  return error?.class === 'policy_denied' ? exitCodes.notAllowed : exitCodes.failed;
}
