import type { TaskStatus } from '../../../contract/task.ts';
import type { Paint } from '../../output/output.ts';

const colours = {
  pending: 'dim',
  queued: 'dim',
  in_progress: 'cyan',
  completed: 'green',
  failed: 'red',
  cancelled: 'yellow',
} as const satisfies Record<TaskStatus, string>;

/** A text in the colour of a status. */
export const paintStatus = (paint: Paint, text: string, status: TaskStatus | undefined): string =>
  status === undefined ? text : paint(colours[status], text);
