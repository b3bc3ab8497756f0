/** GitHub asks for a second between two changes, one after the other; the others are content with that. */
const PACE_MS = 1000;

/** What came of looking after a comment. */
export interface Written {
  /** Whether the vendor was asked for anything. */
  hasAsked: boolean;
  /** Where it has to be looked after again: milliseconds from now. */
  againInMs?: number;
}
export interface CommentQueueDeps {
  /** Writes what there is to say of a task. Never rejects. */
  write: (taskId: string, signal: AbortSignal) => Promise<Written>;
  monotonic: () => number;
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

interface Lane {
  /** In the order in which they are written. */
  ready: Set<string>;
  later: Map<string, number>;
  /** When the first of those becomes ready. */
  laterAt: number;
  writing: { taskId: string; again: boolean; done: Promise<void> } | undefined;
  restsUntil: number;
}

/** Whose comment is looked after next: one at a time for each vendor, at the pace that vendors ask for. */
export class CommentQueue {
  readonly #deps: Required<CommentQueueDeps>;
  readonly #lanes = new Map<string, Lane>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: CommentQueueDeps) {
    this.#deps = { setTimer: (run, ms) => setTimeout(run, ms).unref(), ...deps };
  }

  /** Takes a task; one that is waiting, or being written, stays where it is. */
  add(taskId: string, provider: string): void {
    const lane = this.#laneOf(provider);
    if (!lane.later.has(taskId) && lane.writing?.taskId !== taskId) this.#makeReady(lane, taskId);
  }

  /** Takes a task of which there is news: a wait ends, and what is being written is looked after once more. */
  wake(taskId: string, provider: string): void {
    const lane = this.#laneOf(provider);
    if (lane.writing?.taskId === taskId) lane.writing.again = true;
    else this.#makeReady(lane, taskId);
  }

  /** Breaks off what is being written, and writes no more. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The daemon stops'));
    clearTimeout(this.#timer);
    await Promise.all([...this.#lanes.values()].map(async ({ writing }) => writing?.done));
  }

  #laneOf(provider: string): Lane {
    let lane = this.#lanes.get(provider);
    if (!lane) {
      lane = { ready: new Set(), later: new Map(), laterAt: Infinity, writing: undefined, restsUntil: 0 };
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

  /** Starts what may start now, and sets the timer for what comes next. */
  #pass(): void {
    if (this.#stopping.signal.aborted) return;
    const now = this.#deps.monotonic();
    let nextAt = Infinity;
    for (const lane of this.#lanes.values()) {
      if (lane.laterAt <= now) readyUp(lane, now);
      // The end of what is being written leads here again.
      if (lane.writing) continue;
      const [first] = lane.ready;
      if (first === undefined) nextAt = Math.min(nextAt, lane.laterAt);
      else if (lane.restsUntil > now) nextAt = Math.min(nextAt, lane.restsUntil);
      else this.#write(lane, first, now);
    }
    if (nextAt < Infinity) this.#wakeIn(nextAt - now);
  }

  #write(lane: Lane, taskId: string, startedAt: number): void {
    lane.ready.delete(taskId);
    const done = this.#deps.write(taskId, this.#stopping.signal).then(({ hasAsked, againInMs }) => {
      const isNews = lane.writing?.again;
      lane.writing = undefined;
      if (hasAsked) lane.restsUntil = startedAt + PACE_MS;
      if (isNews) lane.ready.add(taskId);
      else if (againInMs !== undefined) {
        const at = this.#deps.monotonic() + againInMs;
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

function readyUp(lane: Lane, now: number): void {
  lane.laterAt = Infinity;
  for (const [taskId, at] of lane.later)
    if (at <= now) {
      lane.later.delete(taskId);
      lane.ready.add(taskId);
    } else lane.laterAt = Math.min(lane.laterAt, at);
}
