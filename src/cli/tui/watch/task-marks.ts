import type { TaskStatus } from '../../../contract/task.ts';
import type { Span } from '../parts/line.ts';

/** The state of a task in one letter, distinguished by shape as well as by colour. */
export const taskMarks: Record<TaskStatus, Span> = {
  pending: { text: '○', style: { tone: 'muted' } },
  queued: { text: '◌', style: { tone: 'muted' } },
  in_progress: { text: '●', style: { tone: 'accent' } },
  completed: { text: '✓', style: { tone: 'good' } },
  failed: { text: '✗', style: { tone: 'bad' } },
  cancelled: { text: '–', style: { tone: 'warning' } },
};

/** For a task that waits for a person. */
export const askingMark: Span = { text: '?', style: { tone: 'warning', isBold: true } };
