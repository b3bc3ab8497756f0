import type { TaskStatus } from '../../contract/task.ts';
import type { ScheduleRow } from '../storage/outside-rows.ts';
import { isTerminal } from '../tasks/task-states.ts';
import type { RunPlan } from './plan-run.ts';

/** More runs than these do not wait for the one before. */
export const MOST_WAITING = 100;

/** Why a schedule is looked at: its time has come, a run of it has ended, or somebody runs it now. */
export type Occasion = { kind: 'due'; plan: RunPlan } | { kind: 'ended' } | { kind: 'asked' };

/** What happens to a schedule. */
export interface Advance {
  /** The schedule after it; the same object where nothing happens. */
  row: ScheduleRow;
  starts: boolean;
  /** The run before is cancelled for it. */
  cancels: boolean;
  /** Why it was paused by this. */
  pausedReason?: string;
  /** Why somebody cannot run it now. */
  refusal?: string;
}

/**
 * Decides by the row alone: first what came of the run before, then whether its time has come, then whether a run may
 * start. `status` is that of the run before, undefined when its task is gone; `ban` says why no run may start at all.
 */
export function advanceSchedule(
  before: ScheduleRow,
  status: TaskStatus | undefined,
  occasion: Occasion,
  { now, ban }: { now: Date; ban?: string | undefined },
): Advance {
  const row = { ...before };
  const isOver = row.open_task_id !== null && (status === undefined || isTerminal(status));
  let pausedReason = isOver ? endRun(row, status) : undefined;
  if (pausedReason !== undefined) pause(row, pausedReason, now);
  let isWanted = occasion.kind === 'asked';
  if (occasion.kind === 'due' && row.status === 'active') isWanted = takeTimes(row, occasion.plan, now);
  const { starts, cancels, refusal } = isWanted ? overlap(row, occasion) : startWaiting(row);
  if (starts && ban !== undefined) {
    // What was counted stays counted; the run that would start does not.
    pausedReason = ban;
    pause(row, ban, now);
    return { row, starts: false, cancels: false, pausedReason, refusal: ban };
  }
  if (starts) {
    row.run_count++;
    row.last_run_at = now.toISOString();
  }
  const isChanged = isOver || occasion.kind === 'due' || isWanted || starts;
  return {
    row: isChanged ? row : before,
    starts,
    cancels,
    ...(pausedReason !== undefined && { pausedReason }),
    ...(refusal !== undefined && { refusal }),
  };
}

/** Stops it until somebody takes it up again; runs that wait are left out. */
export function pause(row: ScheduleRow, reason: string | null, now: Date): void {
  row.status = 'paused';
  row.paused_reason = reason;
  row.next_run_at = null;
  row.updated_at = now.toISOString();
  dropWaiting(row);
}

export function dropWaiting(row: ScheduleRow): void {
  row.skipped_count += row.waiting_count;
  row.waiting_count = 0;
}

/** Answers why it pauses, where too many runs have failed. */
function endRun(row: ScheduleRow, status: TaskStatus | undefined): string | undefined {
  row.open_task_id = null;
  if (status === 'completed') row.failure_count = 0;
  if (status !== 'failed') return undefined;
  row.failure_count++;
  if (row.status !== 'active' || row.max_failures === 0 || row.failure_count < row.max_failures)
    return undefined;
  return row.failure_count === 1 ? 'Its last task failed' : `Its last ${row.failure_count} tasks failed`;
}

/** Answers whether one of its times is a run. */
function takeTimes(row: ScheduleRow, { isOnTime, missed, next }: RunPlan, now: Date): boolean {
  row.next_run_at = next?.toISOString() ?? null;
  row.planned_at = now.toISOString();
  row.misfire_count += missed;
  if (!next) row.status = 'done';
  return isOnTime || row.catch_up === 'run_once';
}

function overlap(row: ScheduleRow, { kind }: Occasion): Pick<Advance, 'starts' | 'cancels' | 'refusal'> {
  if (row.open_task_id === null) return { starts: true, cancels: false };
  if (row.overlap === 'cancel_previous') return { starts: true, cancels: true };
  // While it is paused nothing would start what waits.
  const mayWait = row.overlap === 'queue' && row.status !== 'paused';
  const hasRoom = mayWait && row.waiting_count < MOST_WAITING;
  if (hasRoom) row.waiting_count++;
  else if (kind === 'due') row.skipped_count++;
  const refusal = mayWait ? `${MOST_WAITING} occurrences are already waiting` : stillRuns(row.open_task_id);
  return { starts: false, cancels: false, ...(!hasRoom && { refusal }) };
}

function startWaiting(row: ScheduleRow): Pick<Advance, 'starts' | 'cancels' | 'refusal'> {
  const starts = row.open_task_id === null && row.waiting_count > 0 && row.status !== 'paused';
  if (starts) row.waiting_count--;
  return { starts, cancels: false };
}

const stillRuns = (taskId: string) => `The previous task has not finished: ${taskId}`;
