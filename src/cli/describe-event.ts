import type { TaskEvent } from '../contract/task.ts';
import { spellDuration } from './duration.ts';
import { escapeLine } from './escape-text.ts';

/** What an event means for somebody who waits for the task, in a few words; undefined where it means nothing. */
export function describeEvent({ type, message, data }: TaskEvent): string | undefined {
  switch (type) {
    case 'queued':
      return 'waiting for a worker';
    case 'waiting_for_agent':
      return `waiting for an agent: ${escapeLine(message)} See: svc agents ls`;
    case 'started':
      return `attempt ${Number(data['attempt'])} of ${Number(data['maxAttempts'])} by ${escapeLine(textOf(data['agent']))}`;
    case 'retry_scheduled':
      return `retry in ${spellDuration(Number(data['delayMs']))} because: ${escapeLine(message)}`;
    case 'progress':
    case 'requeued':
    case 'approval_requested':
    case 'approval_decided':
      return escapeLine(message);
    case 'created':
    case 'output':
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'dead_lettered':
      return undefined;
  }
}

const textOf = (value: TaskEvent['data'][string] | undefined) => (typeof value === 'string' ? value : '');
