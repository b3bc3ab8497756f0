import { setImmediate as breathe } from 'node:timers/promises';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskFinishWatcher } from '../tasks/task-finish-watcher.ts';
import { isTerminal } from '../tasks/task-states.ts';
import { GRACE_MS } from './plan-occurrence.ts';
import type { ScheduleOccurrences } from './schedule-occurrences.ts';
import type { DuePosition, ScheduleStore } from './schedule-store.ts';

/** The clock may change and the machine may sleep, so the time is checked at least this often. */
const MAX_TIMER_MS = 60_000;
/** The delay after a failed write. */
const RETRY_MS = 5000;
/** A clock this far behind the monotonic one was set back; less is an ordinary correction. */
const SET_BACK_MS = 1000;
/** Occurrences that start in one commit; the event loop is free between pages. */
const DUE_PAGE = 32;
const PAGE = 500;

export interface SchedulerDeps {
  store: ScheduleStore;
  occurrences: ScheduleOccurrences;
  finishWatcher: TaskFinishWatcher;
  runtime: Runtime;
  log: Log;
  setTimer: (run: () => void, ms: number) => NodeJS.Timeout;
}

/** Starts occurrences of schedules at their times and tracks their tasks. */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  /** The unsubscribe function for each task that a schedule waits for. */
  readonly #watched = new Map<string, () => void>();
  readonly #working = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  /** The check that follows the running one. */
  #followUp: Promise<void> | undefined;
  #isStopped = false;
  /** False while finished tasks may be unprocessed: after a start, or after a failed write. */
  #hasAllCompletions = false;
  /** The last check by both clocks; the wall clock may be set, the monotonic one never is. */
  #lastCheck: { at: number; monotonic: number } | undefined;
  /** Counters of requested checks and of failures. */
  #wakes = 0;
  #failures = 0;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.wake();
  }

  /** Starts nothing more and waits for the work in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const stopWatching of this.#watched.values()) stopWatching();
    this.#watched.clear();
    await this.#checking;
    await Promise.all(this.#working);
  }

  /** Schedules a check soon. */
  wake(): void {
    this.#wakes++;
    this.#wakeIn(0);
  }

  /** Watches the task of an occurrence that has just started. */
  watch({ scheduleId, taskId }: { scheduleId: string; taskId: string }): void {
    if (this.#watched.has(taskId) || this.#isStopped) return;
    this.#watched.set(
      taskId,
      this.#deps.finishWatcher.watch(taskId, () => this.#onFinished(scheduleId, taskId)),
    );
  }

  /** Starts what is due now. Never rejects, because the next check retries. */
  check(): Promise<void> {
    // The running check read the clock earlier: what is due since then needs another one.
    if (this.#checking)
      return (this.#followUp ??= this.#checking.then(() => {
        this.#followUp = undefined;
        return this.check();
      }));
    this.#checking = this.#attempt(() => this.#check())
      .then((isDone) => (isDone ? undefined : this.#wakeIn(RETRY_MS)))
      .finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  async #check(): Promise<void> {
    if (this.#isStopped) return;
    const { store, runtime } = this.#deps;
    const wakes = this.#wakes;
    const failures = this.#failures;
    const now = runtime.now();
    await this.#followClock(now);
    if (!this.#hasAllCompletions) await this.#findFinished();
    await this.#startDue(now);
    const next = await store.earliest();
    if (failures !== this.#failures) this.#wakeIn(RETRY_MS);
    else if (wakes !== this.#wakes) this.#wakeIn(0);
    else if (next !== undefined) this.#wakeIn(Date.parse(next) - runtime.now().getTime());
  }

  /** Where the clock was set back, also while the daemon was off, schedules go on at the pace they had. */
  async #followClock(now: Date): Promise<void> {
    const { runtime } = this.#deps;
    const last = this.#lastCheck;
    const monotonic = runtime.monotonic();
    const expected = last && last.at + monotonic - last.monotonic;
    if (expected === undefined || now.getTime() < expected - SET_BACK_MS)
      await this.#replan(now, expected === undefined ? undefined : new Date(expected));
    this.#lastCheck = { at: now.getTime(), monotonic };
  }

  /** Recomputes plans made while the clock was ahead. */
  async #replan(now: Date, expected: Date | undefined): Promise<void> {
    const { store, occurrences } = this.#deps;
    await eachPage(
      (last?: { id: string }) => store.plannedAfter(now.toISOString(), last?.id ?? '', PAGE),
      PAGE,
      async (page) => {
        for (const { id } of page) await this.#attempt(() => occurrences.replan(id, expected));
      },
    );
  }

  /** Processes tasks that finished without an event, and watches the unfinished ones. */
  async #findFinished(): Promise<void> {
    this.#hasAllCompletions = true;
    const { store, occurrences } = this.#deps;
    await eachPage(
      (last?: { id: string }) => store.open(last?.id ?? '', PAGE),
      PAGE,
      async (page) => {
        for (const { id, open_task_id: taskId, status } of page)
          if (status !== null && !isTerminal(status)) this.watch({ scheduleId: id, taskId });
          else if (!this.#isStopped) await this.#attempt(() => occurrences.advance(id, { kind: 'finished' }));
      },
    );
  }

  async #startDue(now: Date): Promise<void> {
    const { store, occurrences } = this.#deps;
    const until = now.toISOString();
    const late = new Date(now.getTime() - GRACE_MS).toISOString();
    await eachPage(
      (last?: DuePosition) => store.due(until, last, DUE_PAGE),
      DUE_PAGE,
      async (page) => {
        if (this.#isStopped) return;
        const due: Promise<boolean>[] = [];
        for (const { id, next_run_at } of page) {
          // Missed times are counted one by one, which takes time.
          if ((next_run_at ?? '') < late) await breathe();
          due.push(this.#attempt(() => occurrences.advance(id, { kind: 'due' })));
        }
        const done = await Promise.all(due);
        // One failing schedule does not block the others; if all fail, the cause is the disk.
        if (!done.includes(true)) throw new AppError('unavailable', 'None of the due schedules can start');
      },
    );
  }

  #onFinished(scheduleId: string, taskId: string): void {
    this.#watched.get(taskId)?.();
    this.#watched.delete(taskId);
    const done = this.#attempt(() => this.#deps.occurrences.advance(scheduleId, { kind: 'finished' })).then(
      (isDone) => {
        this.#working.delete(done);
        if (!isDone && !this.#checking) this.#wakeIn(RETRY_MS);
      },
    );
    this.#working.add(done);
  }

  /** Resolves to whether the work succeeded; after a failure, the rows still hold what is left to do. */
  async #attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const { log } = this.#deps;
      if (error instanceof AppError) log.warn({ reason: messageOf(error) }, 'a schedule is delayed');
      else log.error({ err: error }, 'this is a bug in svc');
      this.#hasAllCompletions = false;
      this.#failures++;
      return false;
    }
  }

  #wakeIn(ms: number): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    const { setTimer } = this.#deps;
    this.#timer = setTimer(() => void this.check(), Math.min(Math.max(ms, 0), MAX_TIMER_MS));
  }
}

/** Reads pages, each starting after the last row of the previous one, until a page is not full. */
async function eachPage<T>(
  read: (last: T | undefined) => Promise<T[]>,
  size: number,
  use: (page: T[]) => Promise<void>,
): Promise<void> {
  for (let last: T | undefined; ;) {
    const page = await read(last);
    if (page.length > 0) await use(page);
    if (page.length < size) return;
    last = page.at(-1);
    await breathe();
  }
}
