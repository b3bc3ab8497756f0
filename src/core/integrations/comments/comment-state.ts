import type { StoredTask } from '../../tasks/task-mapping.ts';
import { isTerminal } from '../../tasks/task-states.ts';

/** What a comment can say of its task. */
export type CommentState = 'started' | 'approval' | 'completed' | 'failed' | 'cancelled';

/** What there is to say of the task; undefined while it has not begun. */
export function commentStateOf(
  { status, attempts }: Pick<StoredTask, 'status' | 'attempts'>,
  waitsForPerson: boolean,
): CommentState | undefined {
  switch (status) {
    case 'in_progress':
      return waitsForPerson ? 'approval' : 'started';
    case 'pending':
    case 'queued':
      // Between two attempts it is being worked on; one that was only moved back has not begun.
      return attempts > 0 ? 'started' : undefined;
    case 'completed':
    case 'failed':
    case 'cancelled':
      return status;
  }
}

export const isLastState = (state: CommentState): boolean =>
  state !== 'started' && state !== 'approval' && isTerminal(state);
