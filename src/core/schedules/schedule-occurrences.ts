import type { PendingEntry } from '../audit/pending-entry.ts';
import type { Task } from '../../contract/task.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { type Caller, roleOf } from '../auth/caller.ts';
import { messageOf } from '../errors.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { ScheduleRow } from '../storage/rows/schedules.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { type Advance, advanceSchedule, type Trigger, pause } from './advance-schedule.ts';
import { planOccurrence, replanAfter } from './plan-occurrence.ts';
import { type OccurrenceTimes, timesOf } from './occurrence-times.ts';
import { commandNeeds, toScheduledTask } from './schedule-mapping.ts';
import type { ScheduleStore } from './schedule-store.ts';

/** Why a schedule advances; a user who runs it manually may have fewer rights than the schedule. */
export type Cause =
  | { kind: 'due' }
  | { kind: 'finished' }
  | { kind: 'manual'; mayCommand: boolean; auditEntry?: PendingEntry | undefined };
export interface OccurrenceOutcome {
  task?: Task;
  /** Why a manual occurrence was refused. */
  refusal?: string;
}

export interface ScheduleOccurrencesDeps {
  database: Database;
  store: ScheduleStore;
  taskStore: TaskStore;
  tasks: TaskService;
  registry: Pick<AgentRegistry, 'usesCommands'>;
  notifications: NotificationService;
  runtime: Runtime;
  /** Called for each occurrence before its task can finish. */
  onStart: (run: { scheduleId: string; taskId: string }) => void;
}

/** The row was changed concurrently. */
const outdated = Symbol('outdated');

/** Advances schedules; each step is one transaction together with the task that it starts. */
export class ScheduleOccurrences {
  readonly #deps: ScheduleOccurrencesDeps;
  constructor(deps: ScheduleOccurrencesDeps) {
    this.#deps = deps;
  }

  /** Advances the schedule for a cause, if there is still something to do. */
  async advance(id: string, cause: Cause): Promise<OccurrenceOutcome> {
    for (;;) {
      const row = await this.#deps.store.find(id);
      if (!row) return {};
      const trigger = await this.#triggerOf(row, cause);
      if (!trigger) return {};
      const mayCommand = row.may_command === 1 && (cause.kind !== 'manual' || cause.mayCommand);
      const auditEntry = cause.kind === 'manual' ? cause.auditEntry : undefined;
      const outcome = await this.#apply(row, trigger, { mayCommand, auditEntry });
      if (outcome !== outdated) return outcome;
    }
  }

  /**
   * Recomputes the next occurrence of a schedule that was planned while the clock was ahead; `expected` is what the clock
   * would show now, undefined if that is unknown. What has just run does not run again at once.
   */
  async replan(id: string, expected: Date | undefined): Promise<void> {
    const { store, database, runtime } = this.#deps;
    for (;;) {
      const row = await store.find(id);
      const now = runtime.now();
      // Another daemon may have planned it again, or started what was due.
      if (!row || row.next_run_at === null || row.planned_at <= now.toISOString()) return;
      const replanned = await this.#replanned(row, now, expected);
      if (!replanned || (await database.write(({ db }) => store.update(db, replanned)))) return;
    }
  }

  async #replanned(
    row: ScheduleRow,
    now: Date,
    expected: Date | undefined,
  ): Promise<ScheduleRow | undefined> {
    const after = replanAfter(row, now, expected);
    const next =
      row.cron === null ? row.at : await this.#read(row, (times) => times.next(after)?.toISOString() ?? null);
    if (next === undefined) return undefined;
    const status = next === null ? 'done' : row.status;
    return { ...row, status, next_run_at: next, planned_at: now.toISOString() };
  }

  async #triggerOf(row: ScheduleRow, cause: Cause): Promise<Trigger | undefined> {
    if (cause.kind !== 'due') return cause;
    const now = this.#deps.runtime.now();
    if (row.next_run_at === null) return undefined;
    const dueAt = new Date(row.next_run_at);
    if (dueAt > now) return undefined;
    const plan = await this.#read(row, (times) => planOccurrence(times, dueAt, now));
    return plan && { kind: 'due', plan };
  }

  /** Pauses the schedule and resolves to undefined if its times can no longer be read, for example without its time zone. */
  async #read<T>(row: ScheduleRow, read: (times: OccurrenceTimes) => T): Promise<T | undefined> {
    const { database, store, runtime } = this.#deps;
    try {
      return read(await timesOf(row));
    } catch (error) {
      const paused = { ...row };
      const pausedReason = `Its times can no longer be read: ${messageOf(error)}`;
      pause(paused, pausedReason, runtime.now());
      await database.write(async (transaction) => {
        if (!(await store.update(transaction.db, paused))) return;
        this.#notifyPaused(transaction, { row: paused, pausedReason }, null);
      });
      return undefined;
    }
  }

  async #apply(
    row: ScheduleRow,
    trigger: Trigger,
    { mayCommand, auditEntry }: { mayCommand: boolean; auditEntry: PendingEntry | undefined },
  ): Promise<OccurrenceOutcome | typeof outdated> {
    const { tasks, store, onStart } = this.#deps;
    const caller: Caller = { userId: row.owner_id, role: mayCommand ? 'admin' : 'user' };
    const input = { ...toScheduledTask(row), source: 'cron' as const, sourceId: row.id };
    const { answer } = await tasks.createFor<OccurrenceOutcome | typeof outdated>(caller, input, {
      scope: 'schedules',
      key: undefined,
      body: undefined,
      environment: { env: row.env, env_names: row.env_names },
      instead: async (transaction) => {
        const outcome = await this.#step(transaction, row, trigger, mayCommand);
        const isDone = outcome !== undefined && outcome !== outdated && outcome.refusal === undefined;
        if (isDone) await auditEntry?.append(transaction);
        return outcome;
      },
      attach: async (transaction, task) => {
        await store.setRun(transaction.db, row.id, task.id);
        await auditEntry?.append(transaction, { taskId: task.id });
        transaction.afterCommit(() => onStart({ scheduleId: row.id, taskId: task.id }));
        return { task };
      },
    });
    return answer;
  }

  /** Resolves to undefined if an occurrence starts now. */
  async #step(
    transaction: WriteTransaction,
    before: ScheduleRow,
    trigger: Trigger,
    mayCommand: boolean,
  ): Promise<OccurrenceOutcome | typeof outdated | undefined> {
    const { store, taskStore, tasks, registry, runtime } = this.#deps;
    const { db } = transaction;
    const open =
      before.open_task_id === null ? undefined : await taskStore.lockHead(transaction, before.open_task_id);
    const owner = await store.findOwner(before.owner_id, db);
    const isOpenToOwner = owner !== undefined && owner.disabled_at === null;
    const hasLostCommands = mayCommand && (!owner || roleOf(owner) !== 'admin');
    const ban = !isOpenToOwner
      ? 'The account of its owner is disabled'
      : hasLostCommands && registry.usesCommands(commandNeeds(before))
        ? 'Its owner may no longer run commands'
        : undefined;
    if (hasLostCommands && ban === undefined) {
      await store.update(db, { ...before, may_command: 0 });
      return outdated;
    }
    const step = advanceSchedule(before, open?.status, trigger, { now: runtime.now(), ban });
    if (step.row === before) return {};
    if (!(await store.update(db, step.row))) return outdated;
    if (step.cancels && open)
      await tasks.cancelWith(transaction, open, 'Cancelled: its schedule started the next task');
    this.#notifyPaused(transaction, step, before.open_task_id);
    if (step.starts) return undefined;
    return step.refusal === undefined ? {} : { refusal: step.refusal };
  }

  #notifyPaused(
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
