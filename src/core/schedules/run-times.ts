import type { ScheduleRow } from '../storage/rows/schedules.ts';

/** When something runs. */
export interface RunTimes {
  /** The first time after a moment; undefined where none follows. */
  next(after: Date): Date | undefined;
}
export type Timing = Pick<ScheduleRow, 'cron' | 'at' | 'timezone'>;

/** The times of a schedule; what reads cron expressions is loaded at its first use. */
export async function timesOf({ cron, at, timezone }: Timing): Promise<RunTimes> {
  if (cron !== null) return (await import('./cron-times.ts')).cronTimes(cron, timezone);
  const only = new Date(at ?? Number.NaN);
  return { next: (after) => (only > after ? only : undefined) };
}

/** The next times after a moment, at most `count`. */
export function nextTimes(times: RunTimes, after: Date, count: number): Date[] {
  const found: Date[] = [];
  for (let at = times.next(after); at && found.length < count; at = times.next(at)) found.push(at);
  return found;
}
