import { Cron } from 'croner';
import { AppError } from '../errors.ts';
import { explainCron, isCronShape } from './explain-cron.ts';
import type { OccurrenceTimes } from './occurrence-times.ts';

/**
 * The times of a cron expression in a time zone. Where the clocks go forward, fixed times that do not exist run when the
 * gap is over and intervals leave it out; where they go back, fixed times run once and intervals go on.
 */
export function cronTimes(expression: string, timezone: string): OccurrenceTimes {
  if (!isCronShape(expression) || !isRead(expression)) throw invalidCron(explainCron(expression, isRead));
  const cron = read(expression, timezone);
  return { next: (after) => cron.nextRun(after) ?? undefined };
}

export const invalidCron = (message: string): AppError =>
  new AppError('validation', 'Validation failed', { details: [{ path: 'cron', message }] });

const read = (expression: string, timezone: string): Cron =>
  new Cron(expression, {
    timezone,
    mode: '5-or-6-parts',
    // A list of hours and minutes names fixed times as a single one does.
    fixedTimeRule: 'no-wildcard',
    paused: true,
  });

function isRead(expression: string): boolean {
  try {
    read(expression, 'UTC');
    return true;
  } catch {
    return false;
  }
}
