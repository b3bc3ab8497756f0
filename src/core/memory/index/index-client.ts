import { AsyncLocalStorage } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import type { SyncProgress } from '../../../contract/memory.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type {
  CallMessage,
  IndexCall,
  IndexCalls,
  IndexMessage,
  IndexOptions,
  ThreadData,
  WatchOrder,
} from './index-calls.ts';

/** Node runs the sources themselves, too. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './index-thread.ts' : './index-thread.js',
  import.meta.url,
);
/** Far more than it needs; a fault in it must not take the memory of everything else. */
const MEMORY_MIB = 512;
/** What is thrown away soon takes no more room than this before it is. */
const YOUNG_MIB = 12;
/** How long calls wait for the entries of a new thread. */
const START_MS = 10_000;
/** How long a thread has to end by itself, and then to be ended. */
const CLOSE_MS = 5000;
const TERMINATE_MS = 1000;
/** These are what the others wait for. */
const FIRST: IndexCall[] = ['putEntries', 'removeEntries'];

interface Waiting {
  call: IndexCall;
  resolve: (value: never) => void;
  reject: (reason: Error) => void;
}
interface Thread {
  worker: Worker;
  waiting: Map<number, Waiting>;
  awaited: Int32Array;
  /** What waits for the work of the start; undefined when that is done. */
  queue: CallMessage[] | undefined;
}

export interface IndexClientDeps {
  options: IndexOptions;
  log: Log;
  /** Gives its entries to each new thread, which knows none yet; other calls are answered after it. */
  onStart: () => Promise<void> | void;
  onProgress: (progress: SyncProgress) => void;
  onChange: () => void;
  /** The index was made anew, and holds less than before. */
  onLost?: () => void;
  thread?: URL;
  startMs?: number;
  closeMs?: number;
}

/** The index, in a thread of its own that is started by the first call: nothing else in the daemon waits for it. */
export class IndexClient {
  readonly #deps: IndexClientDeps;
  #thread: Thread | undefined;
  #lastId = 0;
  #isClosed = false;
  /** For which thread the work of a start is done. */
  readonly #starting = new AsyncLocalStorage<Thread>();
  /** A thread that takes the place of one that failed watches what that one did. */
  #watched: WatchOrder | undefined;

  constructor(deps: IndexClientDeps) {
    this.#deps = deps;
  }

  /** Whether anything has asked for the index yet. */
  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  readonly call = <K extends IndexCall>(
    call: K,
    ...[argument]: Parameters<IndexCalls[K]>
  ): Promise<Awaited<ReturnType<IndexCalls[K]>>> => {
    if (this.#isClosed) return Promise.reject(stopping());
    // Entries for a thread that is dead are no reason for another, which is given its own.
    const starting = FIRST.includes(call) ? this.#starting.getStore() : undefined;
    if (starting && starting !== this.#thread) return Promise.reject(failed());
    const thread = this.#thread ?? this.#start();
    if (call === 'watch') this.#watched = argument as WatchOrder | undefined;
    return this.#ask(thread, call, argument);
  };

  /** Lets what is under way come to an end, and ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#thread?.worker;
    if (!worker) return;
    const { closeMs = CLOSE_MS } = this.#deps;
    worker.ref();
    const ended = new Promise<true>((resolve) => worker.once('exit', () => resolve(true)));
    worker.postMessage('close');
    if (await within(ended, closeMs)) return;
    this.#deps.log.warn({}, 'the index of the memory did not end by itself');
    await within(worker.terminate(), TERMINATE_MS);
  }

  #ask<K extends IndexCall>(
    thread: Thread,
    call: K,
    argument: CallMessage<K>['argument'],
  ): Promise<Awaited<ReturnType<IndexCalls[K]>>> {
    const { waiting, awaited, queue, worker } = thread;
    const message: CallMessage = { id: ++this.#lastId, call, argument };
    return new Promise((resolve, reject) => {
      waiting.set(message.id, { call, resolve, reject });
      if (call !== 'syncFolder') Atomics.add(awaited, 0, 1);
      worker.ref();
      if (queue && !FIRST.includes(call)) queue.push(message);
      else this.#post(thread, message);
    });
  }

  #post(thread: Thread, message: CallMessage): void {
    try {
      thread.worker.postMessage(message, givenAway(message));
    } catch (error) {
      this.#take(thread, message.id)?.reject(error as Error);
    }
  }

  #start(): Thread {
    const { options, log, thread: file = threadFile } = this.#deps;
    const awaited = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const worker = new Worker(file, {
      workerData: { ...options, awaited } satisfies ThreadData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB, maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    const thread: Thread = { worker, waiting: new Map(), awaited, queue: [] };
    this.#thread = thread;
    let fault: Error | undefined;
    worker.on('message', (message: IndexMessage) => this.#hear(thread, message));
    worker.on('error', (error: Error) => (fault = error));
    worker.on('messageerror', (error) => {
      fault = error;
      void worker.terminate();
    });
    worker.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
      if (!this.#isClosed)
        log.error({ err: fault }, 'the index of the memory failed; the next call starts it again');
      const reason = this.#isClosed ? stopping() : failed(fault);
      for (const { reject } of thread.waiting.values()) reject(reason);
      thread.waiting.clear();
    });
    void this.#begin(thread);
    return thread;
  }

  /** Does the work of the start; when that fails, or does not end, the index works without those entries. */
  async #begin(thread: Thread): Promise<void> {
    const { onStart, log, startMs = START_MS } = this.#deps;
    // The caller that started the thread is the first in the queue, and the watch of before stands before it.
    if (this.#watched)
      this.#ask(thread, 'watch', this.#watched).catch((error: unknown) =>
        log.warn({ err: error }, 'folders could not be watched again'),
      );
    try {
      const done = Promise.resolve(this.#starting.run(thread, onStart)).then(() => true as const);
      if (!(await within(done, startMs))) log.warn({}, 'the index of the memory has no entries yet');
    } catch (error) {
      // Of a thread that is dead everything was said.
      if (!this.#isClosed && this.#thread === thread)
        log.error({ err: error }, 'the index of the memory got no entries');
    }
    const { queue = [] } = thread;
    thread.queue = undefined;
    if (this.#thread === thread) for (const message of queue) this.#post(thread, message);
  }

  #hear(thread: Thread, message: IndexMessage): void {
    const { onProgress, onChange, onLost, log } = this.#deps;
    if (message.type === 'progress') return onProgress(message.progress);
    if (message.type === 'changed') return onChange();
    if (message.type === 'lost') return onLost?.();
    if (message.type === 'fault')
      return log.warn({ reason: message.message }, 'the index of the memory could not follow its files');
    const waiting = this.#take(thread, message.id);
    if (message.type === 'answer') return waiting?.resolve(message.value as never);
    const { code, message: text, stack } = message;
    waiting?.reject(code ? new AppError(code as ErrorCode, text) : Object.assign(new Error(text), { stack }));
  }

  #take({ waiting, awaited, worker }: Thread, id: number): Waiting | undefined {
    const found = waiting.get(id);
    waiting.delete(id);
    if (found && found.call !== 'syncFolder') Atomics.sub(awaited, 0, 1);
    // A process that only waits for somebody to ask something may end.
    if (waiting.size === 0 && !this.#isClosed) worker.unref();
    return found;
  }
}

const stopping = () => new AppError('unavailable', 'The daemon stops');
const failed = (cause?: Error) =>
  new AppError('unavailable', 'The index of the memory failed. Try again', { cause });

/** Memory that is used up by the call, and only by this array, changes hands without a copy. */
function givenAway({ call, argument }: CallMessage): ArrayBuffer[] {
  if (call !== 'putVectors') return [];
  const { vectors } = argument as Parameters<IndexCalls['putVectors']>[0];
  const buffers = vectors.flatMap(({ values: { buffer, byteLength } }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
  return [...new Set(buffers)];
}

/** What it resolves to, or undefined where that takes longer. */
async function within<Result>(done: Promise<Result>, ms: number): Promise<Result | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms).unref();
  try {
    return await Promise.race([done, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
