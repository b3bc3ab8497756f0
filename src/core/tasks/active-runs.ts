/**
 * Why a run is stopped from outside; `max_time` is the limit of its task, `timeout` that of all runs;
 * `budget`: a person decides whether it may use more.
 */
export type StopReason = 'cancelled' | 'timeout' | 'max_time' | 'shutdown' | 'lost' | 'budget';

/** The reason of the abort signal of a run. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`The run was stopped: ${reason}`);
    this.reason = reason;
  }
}

/** A stop that comes before its run, for example because a cancel overtook the claim, is kept so long. */
const EARLY_STOP_MS = 10_000;

interface ActiveRun {
  fence: number;
  /** When it began, by the monotonic clock. */
  since: number;
  controller: AbortController;
  /** Whether it only waits for a person. */
  isWaiting: boolean;
}

/** A run of this process: `signal` aborts when it is stopped, `end` takes it off the list. */
export interface RunHandle {
  signal: AbortSignal;
  /** Notes that the run only waits for a person, until the function that it answers is called. */
  wait: () => () => void;
  end: () => void;
}

/** The runs of this process, by task. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>();
  #stoppedFor: StopReason | undefined;
  #waitingStoppedFor: StopReason | undefined;
  readonly #early = new Map<string, { fence: number; reason: StopReason; until: number }>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** Registers a run; one that comes after all were stopped is stopped from its first moment. */
  begin(taskId: string, fence: number): RunHandle {
    const controller = new AbortController();
    const early = this.#early.get(taskId);
    const reason = this.#stoppedFor ?? (early?.fence === fence ? early.reason : undefined);
    if (reason) controller.abort(new RunStopped(reason));
    this.#early.delete(taskId);
    const run: ActiveRun = { fence, since: this.#monotonic(), controller, isWaiting: false };
    this.#runs.set(taskId, run);
    return {
      signal: controller.signal,
      wait: () => {
        run.isWaiting = true;
        if (this.#waitingStoppedFor) controller.abort(new RunStopped(this.#waitingStoppedFor));
        return () => void (run.isWaiting = false);
      },
      end: () => {
        if (this.#runs.get(taskId) === run) this.#runs.delete(taskId);
      },
    };
  }

  stop(taskId: string, reason: StopReason): void {
    this.#runs.get(taskId)?.controller.abort(new RunStopped(reason));
  }

  /** Stops the run of one claim of a task, also if it is only about to begin. */
  stopClaim(taskId: string, fence: number, reason: StopReason): void {
    const run = this.#runs.get(taskId);
    if (run?.fence === fence) return run.controller.abort(new RunStopped(reason));
    const now = this.#monotonic();
    for (const [id, { until }] of this.#early) if (until < now) this.#early.delete(id);
    this.#early.set(taskId, { fence, reason, until: now + EARLY_STOP_MS });
  }

  /** Ends a run as failed. */
  fail(taskId: string, failure: Error): void {
    this.#runs.get(taskId)?.controller.abort(failure);
  }

  /** Stops every run, and those that are about to begin. */
  stopAll(reason: StopReason): void {
    this.#stoppedFor = reason;
    for (const taskId of this.#runs.keys()) this.stop(taskId, reason);
  }

  /** Stops every run that only waits for a person, and those that begin to. */
  stopWaiting(reason: StopReason): void {
    this.#waitingStoppedFor = reason;
    for (const [taskId, { isWaiting }] of this.#runs) if (isWaiting) this.stop(taskId, reason);
  }

  /** Lets runs wait for a person again. */
  allowWaiting(): void {
    this.#waitingStoppedFor = undefined;
  }

  has(taskId: string): boolean {
    return this.#runs.has(taskId);
  }

  /** Task, fence and beginning of each run, for the renewal of the leases. */
  claims(): { id: string; fence: number; since: number }[] {
    return [...this.#runs].map(([id, { fence, since }]) => ({ id, fence, since }));
  }
}
