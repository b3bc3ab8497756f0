import { setImmediate as breathe } from 'node:timers/promises';
import type {
  UpdateSchedule,
  CreateSchedule,
  ListSchedulesQuery,
  PreviewSchedule,
  Schedule,
} from '../../contract/schedules.ts';
import type { Task } from '../../contract/task.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import {
  type Caller,
  mayRunCommands,
  requireCommandRights,
  requireOwned,
  roleOf,
  visibleOwner,
} from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { IdempotencyStore, IdempotentRequest } from '../tasks/idempotency-store.ts';
import type { TaskEnvironments } from '../tasks/task-environments.ts';
import type { NewTaskCheck } from '../tasks/new-task-check.ts';
import { type PerUserLimit, requireRoom } from '../limits/per-user-limit.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { ScheduleRow } from '../storage/rows/schedules.ts';
import type { Runtime } from '../runtime.ts';
import { dropWaiting, pause } from './advance-schedule.ts';
import { invalidAt, momentOf } from './local-time.ts';
import { nextTimes, type OccurrenceTimes, timesOf, type Timing } from './occurrence-times.ts';
import { commandNeeds, toSchedule } from './schedule-mapping.ts';
import type { ScheduleOccurrences } from './schedule-occurrences.ts';
import type { ScheduleStore } from './schedule-store.ts';

const perUser: PerUserLimit = {
  table: 'schedules',
  max: 500,
  noun: 'schedules',
  remedy: 'Remove one first: svc schedules ls',
};
/** Evaluating cron expressions is slow, so a long list yields to the event loop. */
const YIELD_EVERY = 25;

export interface ScheduleServiceDeps {
  database: Database;
  store: ScheduleStore;
  idempotency: IdempotencyStore;
  occurrences: ScheduleOccurrences;
  registry: Pick<AgentRegistry, 'usesCommands'>;
  check: Pick<NewTaskCheck, 'modelWarning'>;
  environments: Pick<TaskEnvironments, 'columnsOf' | 'columnsAfter' | 'comparable'>;
  runtime: Runtime;
  systemZone: () => string;
  /** Called when a next time may have changed. */
  onPlanned: () => void;
}

/** Takes what could not be checked of a change, if anything. */
type Warn = (warning: string | undefined) => void;
const ignore: Warn = () => undefined;

/** What is answered again to the same idempotency key. */
interface FirstAnswer {
  id: string;
  warnings?: string[];
}
type CreatedSchedule = Omit<FirstAnswer, 'id'> & { schedule: Schedule; isReplay: boolean };

/** Schedules on behalf of a caller. */
export class ScheduleService {
  readonly #deps: ScheduleServiceDeps;
  constructor(deps: ScheduleServiceDeps) {
    this.#deps = deps;
  }

  async list(caller: Caller, query: ListSchedulesQuery) {
    const { rows, total } = await this.#deps.store.list(visibleOwner(caller), query);
    const schedules: Schedule[] = [];
    for (const [index, row] of rows.entries()) {
      if (index > 0 && index % YIELD_EVERY === 0) await breathe();
      schedules.push(await toSchedule(row));
    }
    return { schedules, total, limit: query.limit, offset: query.offset };
  }

  async get(caller: Caller, id: string): Promise<Schedule> {
    return toSchedule(requireOwned(caller, await this.#deps.store.findListed(id), 'Schedule'));
  }

  /** Creates a schedule, once for each idempotency key. */
  async create(caller: Caller, input: CreateSchedule, key?: string): Promise<CreatedSchedule> {
    const { database, store, idempotency, check, onPlanned } = this.#deps;
    const request = key === undefined ? undefined : this.#requestOf(caller, input, key);
    const earlier = request && (await idempotency.find(database.read, request));
    if (earlier) return this.#replay(caller, earlier as FirstAnswer);
    const row = await this.#newRow(caller, input);
    const warning = await check.modelWarning(input.task);
    const answer: FirstAnswer = { id: row.id, ...(warning !== undefined && { warnings: [warning] }) };
    const first = await database.write(async (transaction: WriteTransaction) => {
      const meanwhile = request && (await idempotency.find(transaction.db, request));
      if (meanwhile) return meanwhile as FirstAnswer;
      await requireRoom(database.engine, transaction.db, perUser, caller.userId);
      await store.insert(transaction.db, row);
      if (request) await idempotency.insert(transaction, request, answer, row.created_at);
      await caller.auditEntry?.append(transaction, { id: row.id });
      return undefined;
    });
    if (first) return this.#replay(caller, first);
    onPlanned();
    const { id, ...others } = answer;
    return { schedule: await this.get(caller, id), isReplay: false, ...others };
  }

  #requestOf({ userId: ownerId }: Caller, input: CreateSchedule, key: string): IdempotentRequest {
    const body = { ...input, task: this.#deps.environments.comparable(input.task) };
    return { ownerId, scope: 'POST /api/schedules', key, body };
  }

  async #replay(caller: Caller, { id, ...others }: FirstAnswer): Promise<CreatedSchedule> {
    if (!(await this.#deps.store.find(id)))
      throw new AppError('conflict', 'The schedule of this idempotency key was deleted');
    return { schedule: await this.get(caller, id), isReplay: true, ...others };
  }

  async #newRow(caller: Caller, input: CreateSchedule): Promise<ScheduleRow> {
    const { registry, environments, runtime, systemZone } = this.#deps;
    if (registry.usesCommands(input.task)) requireCommandRights(caller);
    const { env, ...task } = input.task;
    const timing = timingOf(input, input.timezone ?? systemZone());
    const now = runtime.now();
    const next = firstTime(await timesOf(timing), timing, now);
    const at = now.toISOString();
    return {
      id: runtime.newId('sched'),
      owner_id: caller.userId,
      name: input.name ?? task.title.slice(0, 200),
      ...timing,
      task: JSON.stringify(task),
      ...environments.columnsOf(env, caller.userId),
      may_command: mayRunCommands(caller) ? 1 : 0,
      overlap: input.overlap,
      catch_up: input.catchUp,
      max_failures: input.maxFailures,
      status: input.active ? 'active' : 'paused',
      paused_reason: null,
      next_run_at: input.active ? next : null,
      planned_at: at,
      last_run_at: null,
      last_task_id: null,
      open_task_id: null,
      run_count: 0,
      skipped_count: 0,
      misfire_count: 0,
      failure_count: 0,
      waiting_count: 0,
      revision: 0,
      created_at: at,
      updated_at: at,
    };
  }

  async change(caller: Caller, id: string, change: UpdateSchedule, warn = ignore): Promise<Schedule> {
    const { database, store, registry, environments, check, runtime, onPlanned } = this.#deps;
    requireOwned(caller, await store.find(id), 'Schedule');
    if (change.task) warn(await check.modelWarning(change.task));
    for (;;) {
      const before = requireOwned(caller, await store.find(id), 'Schedule');
      const now = runtime.now();
      const timing = changedTiming(before, change);
      const row = changed(before, change, timing, now);
      if (change.task?.env) Object.assign(row, environments.columnsAfter(before, change.task.env));
      row.may_command = mayCommandAfter(registry, { before, row }, change, caller);
      const isTimingChanged = JSON.stringify(timing) !== JSON.stringify(timingOfRow(before));
      const isResumed = row.status === 'active' && (before.status !== 'active' || isTimingChanged);
      // New times have to be valid even if they do not apply yet.
      if (isResumed || (isTimingChanged && (timing.cron !== null || change.at !== undefined))) {
        const next = firstTime(await timesOf(timing), timing, now);
        if (isResumed) Object.assign(row, { next_run_at: next, planned_at: now.toISOString() });
      }
      if (row.may_command === 1 && row.owner_id !== caller.userId) await this.#limitToOwner(row);
      const isChanged = await database.write(async (transaction) => {
        if (!(await store.update(transaction.db, row))) return false;
        await caller.auditEntry?.append(transaction);
        return true;
      });
      if (!isChanged) continue;
      onPlanned();
      return this.get(caller, id);
    }
  }

  /** Starts an occurrence now, limited to the rights of both the schedule and the caller. */
  async run(caller: Caller, id: string): Promise<{ task?: Task; schedule: Schedule }> {
    const { store, registry, occurrences } = this.#deps;
    const row = requireOwned(caller, await store.find(id), 'Schedule');
    if (registry.usesCommands(commandNeeds(row))) requireCommandRights(caller);
    const { task, refusal } = await occurrences.advance(id, {
      kind: 'manual',
      mayCommand: mayRunCommands(caller),
      auditEntry: caller.auditEntry,
    });
    if (refusal !== undefined) throw new AppError('wrong_state', refusal);
    return { ...(task && { task }), schedule: await this.get(caller, id) };
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { database, store } = this.#deps;
    await database.write(async (transaction) => {
      requireOwned(caller, await store.find(id, transaction.db), 'Schedule');
      await store.remove(transaction.db, id);
      await caller.auditEntry?.append(transaction);
    });
  }

  async preview({ timezone, count, ...input }: PreviewSchedule) {
    const { runtime, systemZone } = this.#deps;
    const timing = timingOf(input, timezone ?? systemZone());
    const now = runtime.now();
    const times = await timesOf(timing);
    firstTime(times, timing, now);
    const nextRuns = nextTimes(times, now, count).map((at) => at.toISOString());
    return { timezone: timing.timezone, nextRuns };
  }

  /** A change by an administrator does not give the schedule's owner more rights. */
  async #limitToOwner(row: ScheduleRow): Promise<void> {
    const { database, store, registry } = this.#deps;
    const owner = await store.findOwner(row.owner_id, database.read);
    if (owner && roleOf(owner) === 'admin') return;
    if (registry.usesCommands(commandNeeds(row)))
      throw new AppError('forbidden', 'The owner of this schedule may not run commands');
    row.may_command = 0;
  }
}

function timingOf(
  { cron, at }: { cron?: string | undefined; at?: string | undefined },
  timezone: string,
): Timing {
  const moment = at === undefined ? null : momentOf(at, timezone).toISOString();
  return { cron: cron ?? null, at: moment, timezone };
}

const timingOfRow = ({ cron, at, timezone }: ScheduleRow): Timing => ({ cron, at, timezone });

/** A one-time schedule keeps its moment when the time zone changes. */
function changedTiming(row: ScheduleRow, { cron, at, timezone = row.timezone }: UpdateSchedule): Timing {
  if (cron !== undefined || at !== undefined) return timingOf({ cron, at }, timezone);
  return { ...timingOfRow(row), timezone };
}

/** The first time from now on; throws for a schedule that never runs. */
function firstTime(times: OccurrenceTimes, { cron }: Timing, now: Date): string {
  const first = times.next(now);
  if (first) return first.toISOString();
  if (cron === null) throw invalidAt('Expected a time in the future');
  throw new AppError('validation', 'Validation failed', {
    details: [{ path: 'cron', message: `"${cron}" never comes: no day is like that` }],
  });
}

/** The row after a change, except for its next time. */
function changed(before: ScheduleRow, change: UpdateSchedule, timing: Timing, now: Date): ScheduleRow {
  const { name, overlap, catchUp, maxFailures, active } = change;
  const { env: _, ...task } = change.task ?? {};
  const row: ScheduleRow = {
    ...before,
    ...timing,
    name: name ?? before.name,
    task: change.task ? JSON.stringify(task) : before.task,
    overlap: overlap ?? before.overlap,
    catch_up: catchUp ?? before.catch_up,
    max_failures: maxFailures ?? before.max_failures,
    updated_at: now.toISOString(),
  };
  if (row.overlap !== 'queue') dropWaiting(row);
  const isNewTime = change.cron !== undefined || change.at !== undefined;
  if (active === false) {
    if (row.status !== 'done' || isNewTime) pause(row, null, now);
  } else if (active === true || (isNewTime && row.status === 'done')) {
    if (row.status === 'done' && !isNewTime)
      throw new AppError('wrong_state', 'Its time has passed. Set another one to resume it.');
    row.status = 'active';
    row.paused_reason = null;
    row.failure_count = 0;
  }
  return row;
}

/** Changing the task or its times requires the right to run commands; otherwise the schedule loses it. */
function mayCommandAfter(
  registry: Pick<AgentRegistry, 'usesCommands'>,
  { before, row }: { before: ScheduleRow; row: ScheduleRow },
  change: UpdateSchedule,
  caller: Caller,
): number {
  const { name: _, active, ...work } = change;
  const isHarmless = active !== true && Object.values(work).every((value) => value === undefined);
  if (isHarmless) return before.may_command;
  if (registry.usesCommands(commandNeeds(row))) requireCommandRights(caller);
  return mayRunCommands(caller) && (change.task || before.may_command === 1) ? 1 : 0;
}
