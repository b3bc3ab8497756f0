import type { Runtime } from '../runtime.ts';
import { fenceData } from '../text/fence-data.ts';
import type { TaskState } from './task-state.ts';

/** A task as text for a model; what its agent wrote is fenced as data. */
export function describeTask(state: TaskState, runtime: Pick<Runtime, 'newSecret'>): string {
  const { id, title, status, finished, result, error, progress, diffUri } = state;
  const changes = result?.changes;
  return [
    `${id} is ${status}: ${title}`,
    !finished && progress && `Progress: ${describeProgress(progress)}`,
    error && `Error (${error.class}): ${error.message}`,
    changes && `Changed ${changes.files} files (+${changes.additions} -${changes.deletions}): ${diffUri}`,
    result?.verified === false && 'The commands that verify the work failed.',
    result && result.output !== '' && fenceData(runtime, `Output of ${id}`, result.output),
    result?.outputIsCut && `The output is longer. All of it: ${state.outputUri}`,
  ]
    .filter((line) => typeof line === 'string')
    .join('\n');
}

/** How far a run is, in a few words. */
export const describeProgress = ({ step, tokens, cost }: NonNullable<TaskState['progress']>): string =>
  [
    step !== undefined && `step ${step}`,
    tokens !== undefined && `${tokens} tokens`,
    cost !== undefined && `$${cost}`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ') || 'working';
