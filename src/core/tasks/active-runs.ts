/** Why a run is stopped from outside. */
export type StopReason = 'cancelled' | 'timeout' | 'shutdown' | 'lost';

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
}

/** The runs of this process, by task. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>();

  /** Registers a run; `end` takes it off again. */
  begin(taskId: string, fence: number): { signal: AbortSignal; end: () => void } {
    const controller = new AbortController();
    const run = { fence, controller };
    this.#runs.set(taskId, run);
    return {
      signal: controller.signal,
      end: () => {
        if (this.#runs.get(taskId) === run) this.#runs.delete(taskId);
      },
    };
  }

  stop(taskId: string, reason: StopReason): void {
    this.#runs.get(taskId)?.controller.abort(new RunStopped(reason));
  }

  stopAll(reason: StopReason): void {
    for (const taskId of this.#runs.keys()) this.stop(taskId, reason);
  }

  has(taskId: string): boolean {
    return this.#runs.has(taskId);
  }

  /** Task and fence of each run, for the renewal of the leases. */
  claims(): { id: string; fence: number }[] {
    return [...this.#runs].map(([id, { fence }]) => ({ id, fence }));
  }
}
