import type { Task, TaskEvent, TaskStatus } from '../../../src/contract/task.ts';

/** What the events of a task say, and where they contradict the rules. */
export interface TaskHistory {
  status: TaskStatus | undefined;
  attempts: number;
  /** Ids of the dead letters that the events tell of, and of those that were taken back. */
  deadLetters: string[];
  revived: string[];
  faults: string[];
}

/** From which state each event may come, and where it leads; progress leaves the state as it is. */
const edges: Partial<Record<TaskEvent['type'], { from: readonly TaskStatus[]; to?: TaskStatus }>> = {
  waiting_for_agent: { from: ['pending'] },
  queued: { from: ['pending'], to: 'queued' },
  started: { from: ['queued'], to: 'in_progress' },
  progress: { from: ['in_progress'] },
  output: { from: ['in_progress'] },
  approval_requested: { from: ['in_progress'] },
  approval_decided: { from: ['in_progress'] },
  retry_scheduled: { from: ['in_progress'], to: 'queued' },
  requeued: { from: ['in_progress', 'failed'], to: 'queued' },
  completed: { from: ['in_progress'], to: 'completed' },
  failed: { from: ['in_progress'], to: 'failed' },
  dead_lettered: { from: ['failed'] },
  cancelled: { from: ['pending', 'queued', 'in_progress'], to: 'cancelled' },
};

/** Walks through the events from the first on and derives the task from them alone. */
export function walkThrough(
  events: TaskEvent[],
  { maxAttempts }: Pick<Task, 'maxAttempts'>,
  backoffMs: number,
): TaskHistory {
  const history: TaskHistory = { status: undefined, attempts: 0, deadLetters: [], revived: [], faults: [] };
  const blame = (invariant: string, what: string) => history.faults.push(`${invariant}: ${what}`);
  let dueAt = 0;
  let crashes = 0;
  let before: TaskEvent | undefined;
  for (const event of events) {
    const { seq, type, data } = event;
    const previous = history.status;
    if (seq !== (before?.seq ?? 0) + 1) blame('I5', `event ${seq} follows ${before?.seq ?? 'nothing'}`);
    if (type === 'created') {
      if (before) blame('I5', `created again by event ${seq}`);
      history.status = 'pending';
    } else {
      const edge = edges[type];
      if (!edge || !history.status || !edge.from.includes(history.status)) {
        const after = history.status === 'cancelled' ? 'I4' : 'I5';
        blame(after, `${type} (event ${seq}) in state ${history.status ?? 'none'}`);
      }
      if (edge?.to) history.status = edge.to;
    }
    if (before?.type === 'failed' && type !== 'dead_lettered')
      blame('I1', `event ${seq}: failed without a dead letter`);
    if (type === 'started') {
      history.attempts++;
      if (data['attempt'] !== history.attempts)
        blame('I3', `event ${seq} says attempt ${textOf(data['attempt'])}, it is ${history.attempts}`);
      if (history.attempts > maxAttempts) blame('I3', `attempt ${history.attempts} of ${maxAttempts}`);
      if (Date.parse(event.at) < dueAt) blame('I3', `event ${seq} came before its backoff was over`);
      dueAt = 0;
    }
    if (type === 'retry_scheduled') {
      const wait = Number(data['delayMs']);
      if (!(wait >= backoffMs)) blame('I3', `event ${seq} waits ${wait} ms`);
      dueAt = Date.parse(event.at) + wait;
    }
    if (type === 'dead_lettered') {
      if (before?.type !== 'failed') blame('I1', `event ${seq}: a dead letter without a failure`);
      history.deadLetters.push(textOf(data['deadLetterId']));
    }
    if (type === 'requeued') {
      const letter = data['deadLetterId'];
      if ((previous === 'failed') !== (typeof letter === 'string'))
        blame('I5', `event ${seq}: requeued from ${previous ?? 'none'}`);
      if (typeof letter === 'string') {
        history.attempts = 0;
        crashes = 0;
        history.revived.push(letter);
      } else if (data['crashes'] === undefined) {
        // Stopped by the daemon in good order: the attempt does not count.
        history.attempts--;
      } else if (++crashes > 1) {
        blame('I1', `event ${seq}: taken up again although its runs ended ${crashes} daemons`);
      }
    }
    before = event;
  }
  if (before?.type === 'failed') blame('I1', 'failed without a dead letter');
  return history;
}

/** A value of an event's data as a text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
