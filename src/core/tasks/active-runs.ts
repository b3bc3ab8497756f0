/** Why a run is stopped from outside; `max_time` is the limit of its task, `timeout` that of all runs. */
export type StopReason = 'cancelled' | 'timeout' | 'max_time' | 'shutdown' | 'lost';

/** The reason of the abort signal of a run. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`The run was stopped: ${reason}`);
    this.reason = reason;
  }
}

interface ActiveRun {
  fence: number;
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

  /** Registers a run; one that comes after all were stopped is stopped from its first moment. */
  begin(taskId: string, fence: number): RunHandle {
    const controller = new AbortController();
    if (this.#stoppedFor) controller.abort(new RunStopped(this.#stoppedFor));
    const run: ActiveRun = { fence, controller, isWaiting: false };
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

  has(taskId: string): boolean {
    return this.#runs.has(taskId);
  }

  /** Task and fence of each run, for the renewal of the leases. */
  claims(): { id: string; fence: number }[] {
    return [...this.#runs].map(([id, { fence }]) => ({ id, fence }));
  }
}
