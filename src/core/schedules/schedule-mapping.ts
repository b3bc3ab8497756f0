import type { Schedule, ScheduledTask } from '../../contract/schedules.ts';
import type { ScheduleRow } from '../storage/rows/schedules.ts';
import { nextTimes, timesOf } from './occurrence-times.ts';
import type { ListedSchedule } from './schedule-store.ts';

const SHOWN_RUNS = 5;

export const toScheduledTask = ({ task }: Pick<ScheduleRow, 'task'>) => JSON.parse(task) as ScheduledTask;

/** What decides whether the tasks of a schedule need the right to run commands. */
export const commandNeeds = (row: Pick<ScheduleRow, 'task' | 'env'>) => ({
  ...toScheduledTask(row),
  ...(row.env !== null && { env: {} }),
});

export async function toSchedule(row: ListedSchedule): Promise<Schedule> {
  return {
    id: row.id,
    name: row.name,
    ...(row.cron !== null && { cron: row.cron }),
    ...(row.at !== null && { at: row.at }),
    timezone: row.timezone,
    task: {
      ...toScheduledTask(row),
      ...(row.env_names !== null && { envNames: JSON.parse(row.env_names) as string[] }),
    },
    overlap: row.overlap as Schedule['overlap'],
    catchUp: row.catch_up as Schedule['catchUp'],
    maxFailures: row.max_failures,
    status: row.status as Schedule['status'],
    ...(row.paused_reason !== null && { pausedReason: row.paused_reason }),
    ...(row.next_run_at !== null && { nextRunAt: row.next_run_at }),
    nextRuns: await nextRunsOf(row),
    ...(row.last_run_at !== null && { lastRunAt: row.last_run_at }),
    ...(row.last_task_id !== null && { lastTaskId: row.last_task_id }),
    ...(row.last_status !== null && { lastStatus: row.last_status }),
    runCount: row.run_count,
    skippedCount: row.skipped_count,
    misfireCount: row.misfire_count,
    failureCount: row.failure_count,
    waitingCount: row.waiting_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The planned next time and those that follow it. */
async function nextRunsOf(row: ScheduleRow): Promise<string[]> {
  if (row.next_run_at === null) return [];
  try {
    const later = nextTimes(await timesOf(row), new Date(row.next_run_at), SHOWN_RUNS - 1);
    return [row.next_run_at, ...later.map((at) => at.toISOString())];
  } catch {
    // Its times can no longer be read, for example without its time zone. It stays visible, and is paused when it is due.
    return [row.next_run_at];
  }
}
