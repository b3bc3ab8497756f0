import type { RunTimes } from './run-times.ts';

/** A run that begins this much late is on time: a busy or restarted daemon is no reason to leave it out. */
export const GRACE_MS = 60_000;
/** Times are counted one by one, and an outage may be long. */
const MOST_COUNTED = 100;

/** What a schedule that is due should do. */
export interface RunPlan {
  /** The last of its times is not long ago. */
  isOnTime: boolean;
  /** Its times, up to now, at which there was no run. */
  missed: number;
  next: Date | undefined;
}

/** Times that came due together are one run; the others were missed. */
export function planRun(times: RunTimes, dueAt: Date, now: Date): RunPlan {
  const graceFrom = new Date(now.getTime() - GRACE_MS);
  const last = dueAt >= graceFrom ? dueAt : times.next(new Date(graceFrom.getTime() - 1));
  const isOnTime = last !== undefined && last <= now;
  let count = 0;
  for (let at: Date | undefined = dueAt; at && at <= now && count <= MOST_COUNTED; at = times.next(at))
    count++;
  return {
    isOnTime,
    missed: Math.min(isOnTime ? count - 1 : count, MOST_COUNTED),
    next: times.next(now),
  };
}
