import { setImmediate as breathe } from 'node:timers/promises';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskEndings } from '../tasks/task-endings.ts';
import { isTerminal } from '../tasks/task-states.ts';
import { GRACE_MS } from './plan-run.ts';
import type { ScheduleRuns } from './schedule-runs.ts';
import type { DuePosition, ScheduleStore } from './schedule-store.ts';

/** The clock may be set meanwhile, and a machine may sleep: it is looked at again after this. */
const MAX_TIMER_MS = 60_000;
/** After something could not be stored. */
const AGAIN_MS = 5000;
/** A clock that goes back by more was wrong before: what was decided by it is decided anew. */
const WRONG_BY_MS = 86_400_000;
/** Runs that start in one commit; the event loop is free between two pages. */
const DUE_PAGE = 32;
const PAGE = 500;

export interface SchedulerDeps {
  store: ScheduleStore;
  runs: ScheduleRuns;
  endings: TaskEndings;
  runtime: Runtime;
  log: Log;
  setTimer: (run: () => void, ms: number) => NodeJS.Timeout;
}

/** Starts the runs of schedules at their times, and learns of their ends. */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  /** Of each task that a schedule waits for, what ends the watch. */
  readonly #watched = new Map<string, () => void>();
  readonly #working = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isStopped = false;
  /** False while ends may be unknown: of an earlier process, or because one could not be stored. */
  #knowsEnds = false;
  /** What the clock showed at the last look; at the start nobody knows. */
  #lastLook = Number.POSITIVE_INFINITY;
  /** How often something asked for a look, and how often something could not be done. */
  #wakes = 0;
  #failures = 0;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.wake();
  }

  /** Starts nothing more; what is under way is finished. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const stopWatching of this.#watched.values()) stopWatching();
    this.#watched.clear();
    await this.#looking;
    await Promise.all(this.#working);
  }

  /** Looks soon at what comes next. */
  wake(): void {
    this.#wakes++;
    this.#wakeIn(0);
  }

  /** Waits for the end of a run that has just started. */
  watch({ scheduleId, taskId }: { scheduleId: string; taskId: string }): void {
    if (this.#watched.has(taskId) || this.#isStopped) return;
    this.#watched.set(
      taskId,
      this.#deps.endings.watch(taskId, () => this.#end(scheduleId, taskId)),
    );
  }

  /** Starts what is due now; never rejects, because the next look tries again. */
  look(): Promise<void> {
    this.#looking ??= this.#attempt(() => this.#look())
      .then((isDone) => (isDone ? undefined : this.#wakeIn(AGAIN_MS)))
      .finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (this.#isStopped) return;
    const { store, runtime } = this.#deps;
    const wakes = this.#wakes;
    const failures = this.#failures;
    const now = runtime.now();
    if (now.getTime() < this.#lastLook) await this.#replan(now);
    this.#lastLook = now.getTime();
    if (!this.#knowsEnds) await this.#findEnds();
    await this.#startDue(now);
    const next = await store.earliest();
    if (failures !== this.#failures) this.#wakeIn(AGAIN_MS);
    else if (wakes !== this.#wakes) this.#wakeIn(0);
    else if (next !== undefined) this.#wakeIn(Date.parse(next) - runtime.now().getTime());
  }

  /** What was decided while the clock was far ahead. */
  async #replan(now: Date): Promise<void> {
    const { store, runs } = this.#deps;
    const limit = new Date(now.getTime() + WRONG_BY_MS).toISOString();
    await eachPage(
      (last?: { id: string }) => store.plannedAfter(limit, last?.id ?? '', PAGE),
      PAGE,
      async (page) => {
        for (const { id } of page) await this.#attempt(() => runs.replan(id));
      },
    );
  }

  /** Runs that ended without an event, and those whose end is to come. */
  async #findEnds(): Promise<void> {
    this.#knowsEnds = true;
    const { store, runs } = this.#deps;
    await eachPage(
      (last?: { id: string }) => store.open(last?.id ?? '', PAGE),
      PAGE,
      async (page) => {
        for (const { id, open_task_id: taskId, status } of page)
          if (status !== null && !isTerminal(status)) this.watch({ scheduleId: id, taskId });
          else if (!this.#isStopped) await this.#attempt(() => runs.advance(id, { kind: 'ended' }));
      },
    );
  }

  async #startDue(now: Date): Promise<void> {
    const { store, runs } = this.#deps;
    const until = now.toISOString();
    const late = new Date(now.getTime() - GRACE_MS).toISOString();
    await eachPage(
      (last?: DuePosition) => store.due(until, last, DUE_PAGE),
      DUE_PAGE,
      async (page) => {
        if (this.#isStopped) return;
        const due: Promise<boolean>[] = [];
        for (const { id, next_run_at } of page) {
          // What it missed is counted time by time.
          if ((next_run_at ?? '') < late) await breathe();
          due.push(this.#attempt(() => runs.advance(id, { kind: 'due' })));
        }
        const done = await Promise.all(due);
        // One that cannot start does not hold up the others; where none can it is the disk.
        if (!done.includes(true)) throw new AppError('unavailable', 'None of the due schedules can start');
      },
    );
  }

  #end(scheduleId: string, taskId: string): void {
    this.#watched.get(taskId)?.();
    this.#watched.delete(taskId);
    const done = this.#attempt(() => this.#deps.runs.advance(scheduleId, { kind: 'ended' })).then(
      (isDone) => {
        this.#working.delete(done);
        if (!isDone && !this.#looking) this.#wakeIn(AGAIN_MS);
      },
    );
    this.#working.add(done);
  }

  /** Answers whether it could be done; where not, the rows say what is still to do. */
  async #attempt(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const { log } = this.#deps;
      if (error instanceof AppError) log.warn({ reason: messageOf(error) }, 'a schedule is delayed');
      else log.error({ err: error }, 'this is a bug in svc');
      this.#knowsEnds = false;
      this.#failures++;
      return false;
    }
  }

  #wakeIn(ms: number): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    const { setTimer } = this.#deps;
    this.#timer = setTimer(() => void this.look(), Math.min(Math.max(ms, 0), MAX_TIMER_MS));
  }
}

/** Reads pages, each from the last row of the one before, until one is not full. */
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
