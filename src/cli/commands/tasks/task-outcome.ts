import type { Task } from '../../../contract/task.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';

/**
 * The exit code for the state of a task; `pending` unless it has finished. A completed task whose calls were refused did
 * not do all it set out to do.
 */
export function exitCodeOfTask(
  { status, error, result }: Pick<Task, 'status' | 'error' | 'result'>,
  { allowRefusals = false }: { allowRefusals?: boolean | undefined } = {},
): ExitCode {
  if (status === 'completed')
    return result?.refusedCalls && !allowRefusals ? exitCodes.approvalNeeded : exitCodes.done;
  if (status === 'cancelled') return exitCodes.cancelled;
  if (status !== 'failed') return exitCodes.pending;
  if (error?.class === 'verify_failed') return exitCodes.unverified;
  if (error?.class === 'budget') return exitCodes.overBudget;
  if (error?.class === 'timeout' && error.code === 'max_time') return exitCodes.timeout;
  if (error?.code === 'not_configured') return exitCodes.configuration;
  return error?.class === 'policy_denied' ? exitCodes.notAllowed : exitCodes.failed;
}
