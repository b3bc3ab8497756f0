import type { ScheduleRow } from '../storage/rows/schedules.ts';
import type { OccurrenceTimes } from './occurrence-times.ts';

/** An occurrence this late still counts as on time, so that a busy or restarted daemon does not skip it. */
export const GRACE_MS = 60_000;
/** Limits the counting of missed times after a long outage. */
const MAX_COUNTED = 100;

/** A clock that goes back by more than this was wrong before, so what it planned does not count. */
const CLOCK_ERROR_MS = 86_400_000;

/** The plan for a schedule that is due. */
export interface OccurrencePlan {
  /** Whether its latest time is within the grace period. */
  isOnTime: boolean;
  /** The number of past times without an occurrence. */
  missed: number;
  next: Date | undefined;
}

/** Combines all due times into one occurrence; the others count as missed. */
export function planOccurrence(times: OccurrenceTimes, dueAt: Date, now: Date): OccurrencePlan {
  const graceFrom = new Date(now.getTime() - GRACE_MS);
  const last = dueAt >= graceFrom ? dueAt : times.next(new Date(graceFrom.getTime() - 1));
  const isOnTime = last !== undefined && last <= now;
  let count = 0;
  for (let at: Date | undefined = dueAt; at && at <= now && count <= MAX_COUNTED; at = times.next(at))
    count++;
  return {
    isOnTime,
    missed: Math.min(isOnTime ? count - 1 : count, MAX_COUNTED),
    next: times.next(now),
  };
}

/**
 * The moment after which a schedule is planned again when the clock was set back. At least half of what was left of the
 * wait stays: then an interval keeps its pace, and a fixed time that has just passed does not come twice.
 */
export function replanAfter(
  { next_run_at, planned_at }: Pick<ScheduleRow, 'next_run_at' | 'planned_at'>,
  now: Date,
  expected: Date | undefined,
): Date {
  const planned = Date.parse(planned_at);
  if (planned - now.getTime() > CLOCK_ERROR_MS) return now;
  const left = Date.parse(next_run_at ?? '') - (expected?.getTime() ?? planned);
  return new Date(now.getTime() + Math.max(0, left / 2));
}
