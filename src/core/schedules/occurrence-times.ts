import type { ScheduleRow } from '../storage/rows/schedules.ts';

/** The times of a schedule. */
export interface OccurrenceTimes {
  /** The first time after a moment; undefined if there is none. */
  next(after: Date): Date | undefined;
}
export type Timing = Pick<ScheduleRow, 'cron' | 'at' | 'timezone'>;

/** Resolves the times of a schedule; the cron parser is loaded on first use. */
export async function timesOf({ cron, at, timezone }: Timing): Promise<OccurrenceTimes> {
  if (cron !== null) return (await import('./cron-times.ts')).cronTimes(cron, timezone);
  const only = new Date(at ?? Number.NaN);
  return { next: (after) => (only > after ? only : undefined) };
}

/** Returns up to `count` times after a moment. */
export function nextTimes(times: OccurrenceTimes, after: Date, count: number): Date[] {
  const found: Date[] = [];
  for (let at = times.next(after); at && found.length < count; at = times.next(at)) found.push(at);
  return found;
}
