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
  WatchRequest,
} from './index-calls.ts';

/** The sources may run without a build. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './index-thread.ts' : './index-thread.js',
  import.meta.url,
);
/** Far more than needed; a leak must not exhaust the memory of the daemon. */
const MEMORY_MIB = 512;
/** Limits the young generation. */
const YOUNG_MIB = 12;
/** How long calls wait until a new thread has its entries. */
const START_MS = 10_000;
/** How long the thread may take to exit, and then to be terminated. */
const CLOSE_MS = 5000;
const TERMINATE_MS = 1000;
/** Calls that the others wait for during the start. */
const PRIORITY_CALLS: IndexCall[] = ['putEntries', 'removeEntries'];

interface PendingCall {
  call: IndexCall;
  resolve: (value: never) => void;
  reject: (reason: Error) => void;
}
interface Thread {
  worker: Worker;
  pending: Map<number, PendingCall>;
  pendingCalls: Int32Array;
  /** Messages held back during the start; undefined afterwards. */
  queue: CallMessage[] | undefined;
}

export interface IndexClientDeps {
  options: IndexOptions;
  log: Log;
  /** Sends the entries to each new thread; other calls wait for it. */
  onStart: () => Promise<void> | void;
  onProgress: (progress: SyncProgress) => void;
  onChange: () => void;
  /** There are changes that the other daemons of the cluster have not. */
  onUnpublished?: () => void;
  /** The index was recreated and is incomplete. */
  onLost?: () => void;
  thread?: URL;
  startMs?: number;
  closeMs?: number;
}

/** Runs the index in a worker thread, started by the first call, so that the daemon is never blocked by it. */
export class IndexClient {
  readonly #deps: IndexClientDeps;
  #thread: Thread | undefined;
  #lastId = 0;
  #isClosed = false;
  /** The thread whose start is in progress. */
  readonly #starting = new AsyncLocalStorage<Thread>();
  /** A restarted thread resumes this watch. */
  #watchRequest: WatchRequest | undefined;

  constructor(deps: IndexClientDeps) {
    this.#deps = deps;
  }

  /** Whether the thread has been started. */
  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  readonly call = <K extends IndexCall>(
    call: K,
    ...[argument]: Parameters<IndexCalls[K]>
  ): Promise<Awaited<ReturnType<IndexCalls[K]>>> => {
    if (this.#isClosed) return Promise.reject(stoppingError());
    // Entries meant for a dead thread must not start another, which gets its own.
    const starting = PRIORITY_CALLS.includes(call) ? this.#starting.getStore() : undefined;
    if (starting && starting !== this.#thread) return Promise.reject(failedError());
    const thread = this.#thread ?? this.#start();
    if (call === 'watch') this.#watchRequest = argument as WatchRequest | undefined;
    return this.#send(thread, call, argument);
  };

  /** Waits for pending calls and stops the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#thread?.worker;
    if (!worker) return;
    const { closeMs = CLOSE_MS } = this.#deps;
    worker.ref();
    const exited = new Promise<true>((resolve) => worker.once('exit', () => resolve(true)));
    worker.postMessage('close');
    if (await withTimeout(exited, closeMs)) return;
    this.#deps.log.warn({}, 'the memory index did not exit and is terminated');
    await withTimeout(worker.terminate(), TERMINATE_MS);
  }

  #send<K extends IndexCall>(
    thread: Thread,
    call: K,
    argument: CallMessage<K>['argument'],
  ): Promise<Awaited<ReturnType<IndexCalls[K]>>> {
    const { pending, pendingCalls, queue, worker } = thread;
    const message: CallMessage = { id: ++this.#lastId, call, argument };
    return new Promise((resolve, reject) => {
      pending.set(message.id, { call, resolve, reject });
      if (call !== 'syncDirectory') Atomics.add(pendingCalls, 0, 1);
      worker.ref();
      if (queue && !PRIORITY_CALLS.includes(call)) queue.push(message);
      else this.#post(thread, message);
    });
  }

  #post(thread: Thread, message: CallMessage): void {
    try {
      thread.worker.postMessage(message, transferables(message));
    } catch (error) {
      this.#takePending(thread, message.id)?.reject(error as Error);
    }
  }

  #start(): Thread {
    const { options, log, thread: file = threadFile } = this.#deps;
    const pendingCalls = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const worker = new Worker(file, {
      workerData: { ...options, pendingCalls } satisfies ThreadData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB, maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    const thread: Thread = { worker, pending: new Map(), pendingCalls, queue: [] };
    this.#thread = thread;
    let crash: Error | undefined;
    worker.on('message', (message: IndexMessage) => this.#handleMessage(thread, message));
    worker.on('error', (error: Error) => (crash = error));
    worker.on('messageerror', (error) => {
      crash = error;
      void worker.terminate();
    });
    worker.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
      if (!this.#isClosed)
        log.error({ err: crash }, 'the memory index failed; the next call starts it again');
      const reason = this.#isClosed ? stoppingError() : failedError(crash);
      for (const { reject } of thread.pending.values()) reject(reason);
      thread.pending.clear();
    });
    void this.#initialize(thread);
    return thread;
  }

  /** Initializes a new thread. When that fails or takes too long, the index works without the entries. */
  async #initialize(thread: Thread): Promise<void> {
    const { onStart, log, startMs = START_MS } = this.#deps;
    // The call that started the thread is first in the queue, and the former watch goes before it.
    if (this.#watchRequest)
      this.#send(thread, 'watch', this.#watchRequest).catch((error: unknown) =>
        log.warn({ err: error }, 'folders could not be watched again'),
      );
    try {
      const done = Promise.resolve(this.#starting.run(thread, onStart)).then(() => true as const);
      if (!(await withTimeout(done, startMs))) log.warn({}, 'the memory index has no entries yet');
    } catch (error) {
      // The exit of a dead thread was logged already.
      if (!this.#isClosed && this.#thread === thread)
        log.error({ err: error }, 'the memory index received no entries');
    }
    const { queue = [] } = thread;
    thread.queue = undefined;
    if (this.#thread === thread) for (const message of queue) this.#post(thread, message);
  }

  #handleMessage(thread: Thread, message: IndexMessage): void {
    const { onProgress, onChange, onUnpublished, onLost, log } = this.#deps;
    if (message.type === 'progress') return onProgress(message.progress);
    if (message.type === 'changed') return onChange();
    if (message.type === 'unpublished') return onUnpublished?.();
    if (message.type === 'lost') return onLost?.();
    if (message.type === 'fault')
      return log.warn({ reason: message.message }, 'the memory index could not sync changed files');
    const pending = this.#takePending(thread, message.id);
    if (message.type === 'answer') return pending?.resolve(message.value as never);
    const { code, message: text, stack } = message;
    pending?.reject(code ? new AppError(code as ErrorCode, text) : Object.assign(new Error(text), { stack }));
  }

  #takePending({ pending, pendingCalls, worker }: Thread, id: number): PendingCall | undefined {
    const found = pending.get(id);
    pending.delete(id);
    if (found && found.call !== 'syncDirectory') Atomics.sub(pendingCalls, 0, 1);
    // An idle thread must not keep the process alive.
    if (pending.size === 0 && !this.#isClosed) worker.unref();
    return found;
  }
}

const stoppingError = () => new AppError('unavailable', 'The daemon stops');
const failedError = (cause?: Error) =>
  new AppError('unavailable', 'The memory index failed. Try again', { cause });

/** The buffers that can be moved to the thread without a copy. */
function transferables({ call, argument }: CallMessage): ArrayBuffer[] {
  if (call !== 'putVectors') return [];
  const { vectors } = argument as Parameters<IndexCalls['putVectors']>[0];
  const buffers = vectors.flatMap(({ values: { buffer, byteLength } }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
  return [...new Set(buffers)];
}

/** Resolves to undefined after the timeout. */
async function withTimeout<Result>(done: Promise<Result>, ms: number): Promise<Result | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), ms).unref();
  try {
    return await Promise.race([done, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
