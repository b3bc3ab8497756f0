import { ApiError } from '../../contract/client.ts';
import type { LiveMessage } from '../../contract/live.ts';
import type { TaskEvent } from '../../contract/task.ts';
import type { OutputName } from '../../contract/task-output.ts';
import { OutputLines } from './output-lines.ts';
import { OutputTail, type ReadOutput } from './output-tail.ts';
import { tokensOf } from './run-rows.ts';
import { addTaskEvent } from './task-rows.ts';
import { TaskTimeline } from './task-timeline.ts';

/** Where a log reads, and when it says that it has changed. */
export interface TaskLogSource {
  /** The events after the one with this number, in order. */
  read(after: number): Promise<{ events: TaskEvent[]; hasMore: boolean }>;
  /** The bytes of an output stream from one of them on. */
  readOutput: ReadOutput;
  onMessage(listener: (message: LiveMessage) => void): () => void;
  /** Calls back once, before the next frame is drawn. */
  onFrame(callback: () => void): () => void;
  /** Calls back once, after some milliseconds. */
  after(ms: number, callback: () => void): () => void;
}

const RETRY_MS = 2000;

/**
 * Everything that happened to one task, in order and complete over any number of broken connections: the feed only brings
 * the next event early, and whatever is missing is read by its number.
 */
export class TaskLog {
  readonly output = new OutputLines();
  readonly timeline = new TaskTimeline();
  readonly #tail: OutputTail;
  /** Tokens that the attempt in progress has used so far. */
  tokens: number | undefined;
  /** Whether all that had happened before has been read. */
  isComplete = false;
  /** Why it could not be read; the next success clears it. */
  problem: Error | undefined;
  readonly #taskId: string;
  readonly #source: TaskLogSource;
  readonly #listeners = new Set<() => void>();
  readonly #pending = new Map<'frame' | 'retry', () => void>();
  #isFollowing = false;
  #lastSeq = 0;
  #isReading = false;
  #isBehind = false;
  #version = 0;

  constructor(taskId: string, source: TaskLogSource) {
    this.#taskId = taskId;
    this.#source = source;
    this.#tail = new OutputTail(
      source.readOutput,
      (stream, message) => {
        this.output.add({ message, data: { stream } });
        this.#changed();
      },
      () => this.output.note('Some output is left out here. Show one stream to see all of it.'),
    );
  }

  /** Whether the output is longer than what was read of it. */
  get isCut(): boolean {
    return this.#tail.isCut;
  }

  /** Counts the changes, at most one a frame. */
  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Follows the task until the function that it returns is called. */
  follow(): () => void {
    this.#isFollowing = true;
    // Before the first reading, so that what happens right after it is not missed.
    const stop = this.#source.onMessage((message) => {
      if (message.type === 'hello') void this.#catchUp();
      if (message.type === 'output' && message.taskId === this.#taskId)
        this.#tail.take(message).catch(this.#failed);
      if (message.type !== 'task' || message.task.id !== this.#taskId) return;
      const { event } = message;
      if (event.seq === this.#lastSeq + 1 && !this.#isReading) {
        this.#add(event);
        // Pieces that came before this event, and those that the feed left out at the end.
        if (endsOutput(event)) void this.#readTail();
      } else if (event.seq > this.#lastSeq) void this.#catchUp();
    });
    void this.#catchUp();
    return () => {
      this.#isFollowing = false;
      this.#tail.stop();
      stop();
      for (const cancel of this.#pending.values()) cancel();
      this.#pending.clear();
    };
  }

  async #catchUp(): Promise<void> {
    this.#isBehind = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isBehind && this.#isFollowing) {
        this.#isBehind = false;
        const { events, hasMore } = await this.#source.read(this.#lastSeq);
        for (const event of events) this.#add(event);
        if (hasMore) this.#isBehind = true;
        else this.isComplete = true;
        this.problem = undefined;
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isReading = false;
    }
    this.#changed();
    await this.#readTail();
  }

  async #readTail(): Promise<void> {
    try {
      if (this.isComplete && this.#isFollowing) await this.#tail.catchUp();
    } catch (error) {
      this.#failed(error);
    }
  }

  readonly #failed = (error: unknown): void => {
    this.problem = error instanceof Error ? error : new Error(String(error));
    const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429;
    // A daemon that is away says hello when it is back; one that is only busy does not.
    if (!isRefused && this.#isFollowing && !this.#pending.has('retry'))
      this.#pending.set('retry', this.#source.after(RETRY_MS, this.#retry));
    this.#changed();
  };

  readonly #retry = (): void => {
    this.#pending.delete('retry');
    void this.#catchUp();
  };

  #add(event: TaskEvent): void {
    if (event.seq <= this.#lastSeq) return;
    this.#lastSeq = event.seq;
    if (event.type === 'started') {
      this.tokens = undefined;
      this.#tail.stop();
      // The first needs no mark.
      if (this.output.rows.length > 0) this.output.note(event.message);
    }
    const tail = tailOf(event);
    if (tail) this.#tail.begin(tail.stream, tail.offset);
    else if (event.type === 'output') this.output.add(event);
    this.tokens = tokensOf(event) ?? this.tokens;
    addTaskEvent(this.timeline, event);
    this.#changed();
  }

  #changed(): void {
    if (!this.#isFollowing || this.#pending.has('frame')) return;
    const cancel = this.#source.onFrame(() => {
      this.#pending.delete('frame');
      this.#version++;
      for (const listener of this.#listeners) listener();
    });
    this.#pending.set('frame', cancel);
  }
}

/** Where the events of a stream stop, if this event says so. */
function tailOf({ type, data }: TaskEvent): { stream: OutputName; offset: number } | undefined {
  const { stream, offset, truncated } = data;
  if (type !== 'output' || truncated !== true || typeof offset !== 'number') return undefined;
  return stream === 'stdout' || stream === 'stderr' ? { stream, offset } : undefined;
}

const ends: readonly string[] = ['completed', 'failed', 'cancelled', 'retry_scheduled', 'dead_lettered'];
const endsOutput = (event: TaskEvent) => ends.includes(event.type) || tailOf(event) !== undefined;
