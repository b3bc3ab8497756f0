import type { GatewayFinished, GatewayResult } from '../../contract/gateway.ts';
import type { TaskError, TaskResult } from '../../contract/task.ts';
import type { StoredTask } from '../tasks/task-mapping.ts';

type Ended = Pick<StoredTask, 'status' | 'result' | 'error'>;

/** The outcome of a task: the result if it completed, the error if it failed. */
export function outcomeOf({ status, result, error }: Ended): Pick<GatewayFinished, 'result' | 'error'> {
  if (status === 'completed' && result !== null) return { result: toGatewayResult(result) };
  if (status === 'failed' && error !== null) return { error: JSON.parse(error) as TaskError };
  return {};
}

function toGatewayResult(text: string): GatewayResult {
  const { output, duration, model } = JSON.parse(text) as TaskResult;
  return { output, duration, ...(model !== undefined && { model }) };
}
