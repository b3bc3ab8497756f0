import type { TaskStatus } from '../../contract/task.ts';
import type { ScheduleRow } from '../storage/rows/schedules.ts';
import { isTerminal } from '../tasks/task-states.ts';
import type { OccurrencePlan } from './plan-occurrence.ts';

/** The maximum number of occurrences that wait for the previous one. */
export const MAX_WAITING = 100;

/** Why a schedule advances: it is due, its task has finished, or a user runs it now. */
export type Trigger = { kind: 'due'; plan: OccurrencePlan } | { kind: 'finished' } | { kind: 'manual' };

/** The result of advancing a schedule. */
export interface Advance {
  /** The updated schedule; the same object if nothing changes. */
  row: ScheduleRow;
  starts: boolean;
  /** Whether the previous task is cancelled. */
  cancels: boolean;
  /** Why this paused the schedule. */
  pausedReason?: string;
  /** Why a manual occurrence was refused. */
  refusal?: string;
}

/**
 * Decides from the row alone: first the result of the previous task, then whether it is due, then whether an occurrence
 * may start. `status` is that of the previous task, undefined if it was deleted; `ban` is a reason to start nothing.
 */
export function advanceSchedule(
  before: ScheduleRow,
  status: TaskStatus | undefined,
  trigger: Trigger,
  { now, ban }: { now: Date; ban?: string | undefined },
): Advance {
  const row = { ...before };
  const isFinished = row.open_task_id !== null && (status === undefined || isTerminal(status));
  let pausedReason = isFinished ? finishOccurrence(row, status) : undefined;
  if (pausedReason !== undefined) pause(row, pausedReason, now);
  let isWanted = trigger.kind === 'manual';
  if (trigger.kind === 'due' && row.status === 'active') isWanted = consumeDueTimes(row, trigger.plan, now);
  const { starts, cancels, refusal } = isWanted ? applyOverlap(row, trigger) : startWaiting(row);
  if (starts && ban !== undefined) {
    // The counts stay, but the occurrence does not start.
    pausedReason = ban;
    pause(row, ban, now);
    return { row, starts: false, cancels: false, pausedReason, refusal: ban };
  }
  if (starts) {
    row.run_count++;
    row.last_run_at = now.toISOString();
  }
  const isChanged = isFinished || trigger.kind === 'due' || isWanted || starts;
  return {
    row: isChanged ? row : before,
    starts,
    cancels,
    ...(pausedReason !== undefined && { pausedReason }),
    ...(refusal !== undefined && { refusal }),
  };
}

/** Pauses a schedule until a user resumes it; waiting occurrences are skipped. */
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

/** Returns the reason to pause after too many failures. */
function finishOccurrence(row: ScheduleRow, status: TaskStatus | undefined): string | undefined {
  row.open_task_id = null;
  if (status === 'completed') row.failure_count = 0;
  if (status !== 'failed') return undefined;
  row.failure_count++;
  if (row.status !== 'active' || row.max_failures === 0 || row.failure_count < row.max_failures)
    return undefined;
  return row.failure_count === 1 ? 'Its last task failed' : `Its last ${row.failure_count} tasks failed`;
}

/** Advances to the next time; returns whether an occurrence is due. */
function consumeDueTimes(row: ScheduleRow, { isOnTime, missed, next }: OccurrencePlan, now: Date): boolean {
  row.next_run_at = next?.toISOString() ?? null;
  row.planned_at = now.toISOString();
  row.misfire_count += missed;
  if (!next) row.status = 'done';
  return isOnTime || row.catch_up === 'run_once';
}

function applyOverlap(row: ScheduleRow, { kind }: Trigger): Pick<Advance, 'starts' | 'cancels' | 'refusal'> {
  if (row.open_task_id === null) return { starts: true, cancels: false };
  if (row.overlap === 'cancel_previous') return { starts: true, cancels: true };
  // A paused schedule would never start a waiting occurrence.
  const mayWait = row.overlap === 'queue' && row.status !== 'paused';
  const hasRoom = mayWait && row.waiting_count < MAX_WAITING;
  if (hasRoom) row.waiting_count++;
  else if (kind === 'due') row.skipped_count++;
  const refusal = mayWait ? `${MAX_WAITING} occurrences are already waiting` : notFinished(row.open_task_id);
  return { starts: false, cancels: false, ...(!hasRoom && { refusal }) };
}

function startWaiting(row: ScheduleRow): Pick<Advance, 'starts' | 'cancels' | 'refusal'> {
  const starts = row.open_task_id === null && row.waiting_count > 0 && row.status !== 'paused';
  if (starts) row.waiting_count--;
  return { starts, cancels: false };
}

const notFinished = (taskId: string) => `The previous task has not finished: ${taskId}`;
