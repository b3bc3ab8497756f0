import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../../errors.ts';
import { ReadTimeLimit } from '../../read-time-limit.ts';
import type { ReaderOptions, ReadRequest, ReadResponse } from './read-messages.ts';

/** One core stays for the event loop. */
const MOST = Math.max(1, Math.min(4, availableParallelism() - 1));
/** Threads that have had nothing to do for so long end, and give their memory back. */
const IDLE_MS = 30_000;
const MAX_WAITING = 100;
const MEMORY_MIB = 256;
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './reader-thread.ts' : './reader-thread.js',
  import.meta.url,
);

interface Job {
  request: ReadRequest;
  resolve: (rows: unknown[]) => void;
  reject: (error: unknown) => void;
}

interface Thread {
  worker: Worker;
  job?: Job | undefined;
  /** Ends the thread unless it gets work before. */
  idle?: NodeJS.Timeout;
}

export interface ReaderThreadsDeps extends ReaderOptions {
  /** Milliseconds for one query. */
  limitMs: number;
  /** Converts an error of SQLite. */
  translate: (error: unknown) => unknown;
}

/** Runs queries that may take long in a few threads, which start with the first query; the rest waits in line. */
export class ReaderThreads {
  readonly #deps: ReaderThreadsDeps;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];
  #isClosed = false;
  constructor(deps: ReaderThreadsDeps) {
    this.#deps = deps;
  }

  /** The rows of the query; rejects with `ReadTimeLimit` where it took too long. */
  run(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (this.#isClosed) return Promise.reject(stopping());
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(
        new AppError('unavailable', 'Too many long reads are waiting. Try again.', { retryAfterMs: 1000 }),
      );
    const request = { sql, parameters, limitMs: this.#deps.limitMs };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  /** Ends the threads once their current query is done; what waits is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(stopping());
    await Promise.all(
      [...this.#threads].map((thread) => {
        clearTimeout(thread.idle);
        const exited = new Promise((resolve) => thread.worker.once('exit', resolve));
        thread.worker.postMessage('close');
        return exited;
      }),
    );
  }

  #next(): void {
    const thread = this.#freeThread();
    const job = thread && this.#waiting.shift();
    if (!job) return;
    clearTimeout(thread.idle);
    thread.job = job;
    thread.worker.ref();
    thread.worker.postMessage(job.request);
  }

  #freeThread(): Thread | undefined {
    if (this.#waiting.length === 0) return undefined;
    for (const thread of this.#threads) if (!thread.job) return thread;
    return this.#threads.size < MOST ? this.#start() : undefined;
  }

  #start(): Thread {
    const { file, cacheMiB } = this.#deps;
    const worker = new Worker(threadFile, {
      workerData: { file, cacheMiB } satisfies ReaderOptions,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
    });
    const thread: Thread = { worker };
    this.#threads.add(thread);
    let crash: unknown;
    worker.on('message', (response: ReadResponse) => {
      const { job } = thread;
      thread.job = undefined;
      worker.unref();
      thread.idle = setTimeout(() => this.#end(thread), IDLE_MS).unref();
      if (job) this.#answer(job, response);
      this.#next();
    });
    worker.on('error', (error) => (crash = error));
    worker.on('exit', () => {
      clearTimeout(thread.idle);
      this.#threads.delete(thread);
      thread.job?.reject(this.#isClosed ? stopping() : this.#deps.translate(crash ?? stopping()));
      if (!this.#isClosed) this.#next();
    });
    return thread;
  }

  #end(thread: Thread): void {
    this.#threads.delete(thread);
    thread.worker.postMessage('close');
  }

  #answer({ resolve, reject }: Job, response: ReadResponse): void {
    if ('rows' in response) return resolve(response.rows);
    const { message, errcode, isLate } = response;
    if (isLate) return reject(new ReadTimeLimit(this.#deps.limitMs));
    reject(this.#deps.translate(Object.assign(new Error(message), errcode !== undefined && { errcode })));
  }
}

const stopping = () => new AppError('unavailable', 'svc is stopping', { retryAfterMs: 1000 });
