import type { TaskEvent } from '../../contract/task.ts';
import { formatDuration } from './duration.ts';
import { escapeLine } from './escape-text.ts';

const HALF_DAY_MS = 12 * 3_600_000;

/**
 * When the next attempt starts and why the last one failed, from an event of `waitEventTypes`; as of the event, or of `now`
 * in epoch milliseconds.
 */
export function describeRetry(event: TaskEvent, now = Date.parse(event.at)): string {
  const { message, data } = event;
  const because = escapeLine(message);
  const dueAt = dueTime(event);
  if (event.type !== 'deferred' && data['outageSince'] === undefined)
    return `retry in ${formatRest(dueAt - now)} because: ${because}`;
  const why = data['waitsFor'] === 'limit' ? 'usage limit reached' : 'waiting for the provider';
  return `${why}: ${describeNextTry(dueAt, now)}: ${because} (does not count as an attempt)`;
}

/** The same for a narrow column: `next try in 3 min 5 s`. */
export const describeShortly = (dueAt: number, now: number): string =>
  dueAt <= now ? 'next try now' : `next try in ${formatRest(dueAt - now)}`;

/** `next try at 14:05, in 3 min 5 s`; both times in epoch milliseconds. */
export function describeNextTry(dueAt: number, now: number): string {
  if (dueAt <= now) return 'next try now';
  const due = new Date(dueAt);
  const day = dueAt - now > HALF_DAY_MS ? `${due.toLocaleDateString('sv')} ` : '';
  const time = due.toLocaleTimeString('sv', { hour: '2-digit', minute: '2-digit' });
  return `next try at ${day}${time}, in ${formatRest(dueAt - now)}`;
}

/** The time of the next attempt, in epoch milliseconds. */
export const dueTime = ({ at, data }: TaskEvent): number => Date.parse(at) + Number(data['delayMs']);

/** In whole seconds, or it would flicker. */
const formatRest = (ms: number): string =>
  formatDuration(Math.max(0, Math.ceil(ms / 1000)) * 1000).replace(
    /^0 ms$|^(\d)\.0 s$/,
    (_, seconds = '0') => `${seconds} s`,
  );
