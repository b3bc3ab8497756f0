import type { Task } from '../../../contract/task.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';

/** Whether a task is in a terminal state. */
export const hasEnded = ({ status }: Pick<Task, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** The exit code for the state of a task; `pending` unless it has finished. */
export function exitCodeOfTask({ status, error }: Pick<Task, 'status' | 'error'>): ExitCode {
  if (status === 'completed') return exitCodes.done;
  if (status === 'cancelled') return exitCodes.cancelled;
  if (status !== 'failed') return exitCodes.pending;
  if (error?.class === 'budget') return exitCodes.overBudget;
  return error?.class === 'policy_denied' ? exitCodes.notAllowed : exitCodes.failed;
}
