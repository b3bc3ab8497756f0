/** GitHub asks for one second between writes; the other vendors accept that pace too. */
const PACE_MS = 1000;

/** The result of processing a comment. */
export interface WriteResult {
  /** Whether a request was sent to the vendor. */
  hasCalled: boolean;
  /** Milliseconds until it has to be processed again, if at all. */
  retryInMs?: number;
}
export interface CommentQueueDeps {
  /** Brings the comment of a task up to date. Never rejects. */
  write: (taskId: string, signal: AbortSignal) => Promise<WriteResult>;
  monotonic: () => number;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

interface Lane {
  /** In the order of writing. */
  ready: Set<string>;
  later: Map<string, number>;
  /** When the first entry of `later` becomes ready. */
  laterAt: number;
  writing: { taskId: string; again: boolean; done: Promise<void> } | undefined;
  pausedUntil: number;
}

/** Schedules comments: one at a time per vendor, at the pace that the vendors allow. */
export class CommentQueue {
  readonly #deps: Required<CommentQueueDeps>;
  readonly #lanes = new Map<string, Lane>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: CommentQueueDeps) {
    this.#deps = { setTimer: (run, ms) => setTimeout(run, ms).unref(), ...deps };
  }

  /** Adds a task; a task that is already waiting or being written keeps its position. */
  add(taskId: string, provider: string): void {
    const lane = this.#laneOf(provider);
    if (!lane.later.has(taskId) && lane.writing?.taskId !== taskId) this.#makeReady(lane, taskId);
  }

  /** Adds a task that has changed: this ends its wait, and a comment being written is processed once more. */
  wake(taskId: string, provider: string): void {
    const lane = this.#laneOf(provider);
    if (lane.writing?.taskId === taskId) lane.writing.again = true;
    else this.#makeReady(lane, taskId);
  }

  /** Aborts the writes in progress and starts no more. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The daemon stops'));
    clearTimeout(this.#timer);
    await Promise.all([...this.#lanes.values()].map(async ({ writing }) => writing?.done));
  }

  #laneOf(provider: string): Lane {
    let lane = this.#lanes.get(provider);
    if (!lane) {
      lane = { ready: new Set(), later: new Map(), laterAt: Infinity, writing: undefined, pausedUntil: 0 };
      this.#lanes.set(provider, lane);
    }
    return lane;
  }

  #makeReady(lane: Lane, taskId: string): void {
    if (this.#stopping.signal.aborted) return;
    lane.later.delete(taskId);
    lane.ready.add(taskId);
    this.#wakeIn(0);
  }

  /** Starts what may start now and sets the timer for the next entry. */
  #pass(): void {
    if (this.#stopping.signal.aborted) return;
    const now = this.#deps.monotonic();
    let nextAt = Infinity;
    for (const lane of this.#lanes.values()) {
      if (lane.laterAt <= now) moveReady(lane, now);
      // When the current write finishes, it calls this again.
      if (lane.writing) continue;
      const [first] = lane.ready;
      if (first === undefined) nextAt = Math.min(nextAt, lane.laterAt);
      else if (lane.pausedUntil > now) nextAt = Math.min(nextAt, lane.pausedUntil);
      else this.#write(lane, first, now);
    }
    if (nextAt < Infinity) this.#wakeIn(nextAt - now);
  }

  #write(lane: Lane, taskId: string, startedAt: number): void {
    lane.ready.delete(taskId);
    const done = this.#deps.write(taskId, this.#stopping.signal).then(({ hasCalled, retryInMs }) => {
      const isStale = lane.writing?.again;
      lane.writing = undefined;
      if (hasCalled) lane.pausedUntil = startedAt + PACE_MS;
      if (isStale) lane.ready.add(taskId);
      else if (retryInMs !== undefined) {
        const at = this.#deps.monotonic() + retryInMs;
        lane.later.set(taskId, at);
        lane.laterAt = Math.min(lane.laterAt, at);
      }
      this.#pass();
    });
    lane.writing = { taskId, again: false, done };
  }

  #wakeIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#deps.setTimer(() => this.#pass(), ms);
  }
}

function moveReady(lane: Lane, now: number): void {
  lane.laterAt = Infinity;
  for (const [taskId, at] of lane.later)
    if (at <= now) {
      lane.later.delete(taskId);
      lane.ready.add(taskId);
    } else lane.laterAt = Math.min(lane.laterAt, at);
}
