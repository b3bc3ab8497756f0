import type { Task } from '../../contract/task.ts';
import { type Caller, roleOf } from '../auth/caller.ts';
import { messageOf } from '../errors.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { ScheduleRow } from '../storage/outside-rows.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { type Advance, advanceSchedule, type Occasion, pause } from './advance-schedule.ts';
import { planRun } from './plan-run.ts';
import { type RunTimes, timesOf } from './run-times.ts';
import { toScheduledTask, usesCommands } from './schedule-mapping.ts';
import type { ScheduleStore } from './schedule-store.ts';

/** Why a schedule is looked at; somebody who runs it may have fewer rights than it has. */
export type Cause = { kind: 'due' } | { kind: 'ended' } | { kind: 'asked'; mayCommand: boolean };
export interface RunOutcome {
  task?: Task;
  /** Why somebody cannot run it now. */
  refusal?: string;
}

export interface ScheduleRunsDeps {
  database: Database;
  store: ScheduleStore;
  taskStore: TaskStore;
  tasks: TaskService;
  notifications: NotificationService;
  runtime: Runtime;
  /** Told of each run, before it can have ended. */
  onStart: (run: { scheduleId: string; taskId: string }) => void;
}

/** The row that was decided by is not the newest one any more. */
const outdated = Symbol('outdated');

/** Moves schedules on: each step is one transaction with the task that it starts. */
export class ScheduleRuns {
  readonly #deps: ScheduleRunsDeps;
  constructor(deps: ScheduleRunsDeps) {
    this.#deps = deps;
  }

  /** Does what the cause asks for, if there still is something to do. */
  async advance(id: string, cause: Cause): Promise<RunOutcome> {
    for (;;) {
      const row = await this.#deps.store.find(id);
      if (!row) return {};
      const occasion = await this.#occasionOf(row, cause);
      if (!occasion) return {};
      const mayCommand = row.may_command === 1 && (cause.kind !== 'asked' || cause.mayCommand);
      const outcome = await this.#take(row, occasion, mayCommand);
      if (outcome !== outdated) return outcome;
    }
  }

  /** Decides anew when it runs next, as if it had been taken up now. */
  async replan(id: string): Promise<void> {
    const { store, database, runtime } = this.#deps;
    const row = await store.find(id);
    if (!row || row.next_run_at === null) return;
    const now = runtime.now();
    const next =
      row.cron === null ? row.at : await this.#read(row, (times) => times.next(now)?.toISOString() ?? null);
    if (next === undefined) return;
    const status = next === null ? 'done' : row.status;
    const replanned = { ...row, status, next_run_at: next, planned_at: now.toISOString() };
    await database.write(({ db }) => store.update(db, replanned));
  }

  async #occasionOf(row: ScheduleRow, cause: Cause): Promise<Occasion | undefined> {
    if (cause.kind !== 'due') return cause;
    const now = this.#deps.runtime.now();
    if (row.next_run_at === null) return undefined;
    const dueAt = new Date(row.next_run_at);
    if (dueAt > now) return undefined;
    const plan = await this.#read(row, (times) => planRun(times, dueAt, now));
    return plan && { kind: 'due', plan };
  }

  /** Undefined where its times are not known any more, as when a time zone has gone: it is paused then. */
  async #read<T>(row: ScheduleRow, read: (times: RunTimes) => T): Promise<T | undefined> {
    const { database, store, runtime } = this.#deps;
    try {
      return read(await timesOf(row));
    } catch (error) {
      const paused = { ...row };
      const pausedReason = `Its times can no longer be read: ${messageOf(error)}`;
      pause(paused, pausedReason, runtime.now());
      await database.write(async (transaction) => {
        if (!(await store.update(transaction.db, paused))) return;
        this.#tell(transaction, { row: paused, pausedReason }, null);
      });
      return undefined;
    }
  }

  async #take(
    row: ScheduleRow,
    occasion: Occasion,
    mayCommand: boolean,
  ): Promise<RunOutcome | typeof outdated> {
    const { tasks, store, onStart } = this.#deps;
    const caller: Caller = { userId: row.owner_id, role: mayCommand ? 'admin' : 'user' };
    const input = { ...toScheduledTask(row), source: 'cron' as const, sourceId: row.id };
    const { answer } = await tasks.createFor<RunOutcome | typeof outdated>(caller, input, {
      scope: 'schedules',
      key: undefined,
      body: undefined,
      instead: (transaction) => this.#step(transaction, row, occasion, mayCommand),
      attach: async (transaction, task) => {
        await store.setRun(transaction.db, row.id, task.id);
        transaction.afterCommit(() => onStart({ scheduleId: row.id, taskId: task.id }));
        return { task };
      },
    });
    return answer;
  }

  /** Answers undefined where a run starts now. */
  async #step(
    transaction: WriteTransaction,
    before: ScheduleRow,
    occasion: Occasion,
    mayCommand: boolean,
  ): Promise<RunOutcome | typeof outdated | undefined> {
    const { store, taskStore, tasks, runtime } = this.#deps;
    const { db } = transaction;
    const open = before.open_task_id === null ? undefined : await taskStore.findHead(before.open_task_id, db);
    const owner = await store.findOwner(before.owner_id, db);
    const isOpenToOwner = owner !== undefined && owner.disabled_at === null;
    const hasLostCommands = mayCommand && (!owner || roleOf(owner) !== 'admin');
    const ban = !isOpenToOwner
      ? 'The account of its owner is disabled'
      : hasLostCommands && usesCommands(toScheduledTask(before))
        ? 'Its owner may no longer run commands'
        : undefined;
    if (hasLostCommands && ban === undefined) {
      await store.update(db, { ...before, may_command: 0 });
      return outdated;
    }
    const step = advanceSchedule(before, open?.status, occasion, { now: runtime.now(), ban });
    if (step.row === before) return {};
    if (!(await store.update(db, step.row))) return outdated;
    if (step.cancels && open)
      await tasks.cancelWith(transaction, open, 'Cancelled: its schedule started the next task');
    this.#tell(transaction, step, before.open_task_id);
    if (step.starts) return undefined;
    return step.refusal === undefined ? {} : { refusal: step.refusal };
  }

  #tell(
    transaction: WriteTransaction,
    { row, pausedReason }: Pick<Advance, 'row' | 'pausedReason'>,
    lastTaskId: string | null,
  ): void {
    if (pausedReason === undefined) return;
    this.#deps.notifications.add(transaction, {
      userId: row.owner_id,
      type: 'schedule_paused',
      title: `Schedule paused: ${row.name}`,
      message: pausedReason,
      ...(lastTaskId !== null && { taskId: lastTaskId }),
      data: { scheduleId: row.id, failureCount: row.failure_count },
    });
  }
}
