import { Worker } from 'node:worker_threads';
import type { SyncProgress } from '../../../contract/memory.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { CallMessage, IndexCall, IndexCalls, IndexMessage, IndexOptions } from './index-calls.ts';

/** Node runs the sources themselves, too. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './index-thread.ts' : './index-thread.js',
  import.meta.url,
);
/** Far more than it needs; a fault in it must not take the memory of everything else. */
const MEMORY_MIB = 512;

interface Waiting {
  resolve: (value: never) => void;
  reject: (reason: Error) => void;
}
interface Thread {
  worker: Worker;
  waiting: Map<number, Waiting>;
}

export interface IndexClientParts {
  options: IndexOptions;
  log: Log;
  /** Runs before any other call in each new thread, which knows no entries yet. */
  onStart: (call: IndexClient['call']) => void;
  onProgress: (progress: SyncProgress) => void;
  onChange: () => void;
}

/** The index, in a thread of its own that is started by the first call: nothing else in the daemon waits for it. */
export class IndexClient {
  readonly #parts: IndexClientParts;
  #thread: Thread | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(parts: IndexClientParts) {
    this.#parts = parts;
  }

  /** Whether anything has asked for the index yet. */
  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  readonly call = <K extends IndexCall>(
    call: K,
    ...[argument]: Parameters<IndexCalls[K]>
  ): Promise<Awaited<ReturnType<IndexCalls[K]>>> => {
    if (this.#isClosed) return Promise.reject(new AppError('unavailable', 'The daemon stops'));
    const { worker, waiting } = (this.#thread ??= this.#start());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, call, argument } as CallMessage);
    });
  };

  /** Lets what is under way come to an end, and ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread;
    if (!thread) return;
    const ended = new Promise((resolve) => thread.worker.once('exit', resolve));
    thread.worker.postMessage('close');
    await ended;
  }

  #start(): Thread {
    const worker = new Worker(threadFile, {
      workerData: this.#parts.options,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
    });
    const thread: Thread = { worker, waiting: new Map() };
    this.#thread = thread;
    let fault: Error | undefined;
    worker.on('message', (message: IndexMessage) => this.#hear(thread, message));
    worker.on('error', (error: Error) => (fault = error));
    worker.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
      if (fault) this.#parts.log.error({ err: fault }, 'the index of the memory failed; it starts again');
      const reason = new AppError('unavailable', 'The index of the memory failed. Try again', {
        cause: fault,
      });
      for (const { reject } of thread.waiting.values()) reject(reason);
      thread.waiting.clear();
    });
    this.#parts.onStart(this.call);
    return thread;
  }

  #hear(thread: Thread, message: IndexMessage): void {
    const { onProgress, onChange } = this.#parts;
    if (message.type === 'progress') return onProgress(message.progress);
    if (message.type === 'changed') return onChange();
    const waiting = thread.waiting.get(message.id);
    thread.waiting.delete(message.id);
    if (message.type === 'answer') return waiting?.resolve(message.value as never);
    const { code, message: text, stack } = message;
    waiting?.reject(code ? new AppError(code as ErrorCode, text) : Object.assign(new Error(text), { stack }));
  }
}
