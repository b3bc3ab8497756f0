import type { StoredTask } from '../../tasks/task-mapping.ts';
import { isTerminal } from '../../tasks/task-states.ts';

/** The states of a task that a comment reports. */
export type CommentState = 'started' | 'approval' | 'completed' | 'failed' | 'cancelled';

/** The state to report; undefined until the task has started. */
export function commentStateOf(
  { status, attempts }: Pick<StoredTask, 'status' | 'attempts'>,
  waitsForPerson: boolean,
): CommentState | undefined {
  switch (status) {
    case 'in_progress':
      return waitsForPerson ? 'approval' : 'started';
    case 'pending':
    case 'queued':
      // Between two attempts the task counts as started; without an attempt it was only requeued.
      return attempts > 0 ? 'started' : undefined;
    case 'completed':
    case 'failed':
    case 'cancelled':
      return status;
  }
}

export const isLastState = (state: CommentState): boolean =>
  state !== 'started' && state !== 'approval' && isTerminal(state);
