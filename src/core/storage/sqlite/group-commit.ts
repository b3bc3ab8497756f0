import type { Kysely } from 'kysely';
import { whileBusy } from './busy.ts';
import type { WriteTransaction } from '../database.ts';
import type { Schema } from '../schema.ts';
import { RowStatements } from './row-statements.ts';
import type { CountingDatabase } from './sqlite-dialect.ts';
import { translateStorageError } from './storage-errors.ts';
import { WriteBuffer } from '../write-buffer.ts';

/** Bounds how long one commit blocks the event loop. */
const MAX_GROUP = 256;

interface Job {
  work: (transaction: WriteTransaction) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}
type Outcome = { job: Job; value: unknown } | { job: Job; error: unknown };

/** Checks the files and observes the outcome of commits. */
export interface CommitWatch {
  /** Throws if damage was found, or if the paths no longer name the open files. */
  requireUsable(): void;
  waits(): void;
  failed(error: unknown): void;
  committed(hasWritten: boolean): void;
}

/** A job failed after a write, so its group must be rolled back. */
class JobFailed extends Error {
  constructor(cause: unknown) {
    super('a write failed after a part of it was done', { cause });
  }
}

/**
 * Runs concurrent writes in one transaction and resolves them after the commit. One durable commit costs as much as a
 * hundred rows, so grouping makes durability cheap. A group that fails is rolled back and each of its writes runs in its
 * own transaction, so that only the faulty ones fail; work may therefore run twice.
 */
export class GroupCommit {
  commits = 0;
  readonly #native: CountingDatabase;
  readonly #db: Kysely<Schema>;
  readonly #reportBug: (error: unknown) => void;
  readonly #statements: RowStatements;
  readonly #control: Record<'begin' | 'commit' | 'rollback', () => void>;
  readonly #watch: CommitWatch;
  #waiting: Job[] = [];
  readonly #alone: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  /** Whether a waiting job is to be committed now; the others wait until then, or until the timer. */
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: {
    native: CountingDatabase;
    db: Kysely<Schema>;
    reportBug: (error: unknown) => void;
    watch: CommitWatch;
  }) {
    const { native } = deps;
    this.#native = native;
    this.#db = deps.db;
    this.#statements = new RowStatements(native, deps.db);
    this.#watch = deps.watch;
    this.#reportBug = deps.reportBug;
    const command = (text: string) => {
      const statement = native.database.prepare(text);
      return () => void statement.run();
    };
    this.#control = {
      begin: command('begin immediate'),
      commit: command('commit'),
      rollback: command('rollback'),
    };
  }

  /** Work that may wait so many milliseconds is committed with the next that may not, or then. */
  run<T>(work: (transaction: WriteTransaction) => Promise<T>, mayWaitMs = 0): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Job['resolve'], reject });
      if (mayWaitMs > 0) this.#timer ??= setTimeout(() => this.#commitNow(), mayWaitMs).unref();
      else this.#commitNow();
    });
  }

  #commitNow(): void {
    this.#watch.waits();
    this.#isDue = true;
    this.#running ??= this.#drain();
  }

  /** Runs work that uses its own connection while no write is in progress; new writes wait. */
  runAlone(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#alone.push(() => work().then(resolve, reject));
      this.#running ??= this.#drain();
    });
  }

  /** Resolves once no write is pending. */
  async idle(): Promise<void> {
    while (this.#running || this.#waiting.length > 0) {
      if (this.#waiting.length > 0) this.#commitNow();
      await this.#running;
    }
  }

  async #drain(): Promise<void> {
    while (this.#isDue || this.#alone.length > 0) {
      // Writes of the same turn of the event loop join the group.
      await new Promise<void>((resolve) => setImmediate(resolve));
      for (const work of this.#alone.splice(0)) await work();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      const jobs = this.#waiting.splice(0, MAX_GROUP);
      this.#isDue = this.#waiting.length > 0;
      if (jobs.length === 0) continue;
      if (await this.#commitGroup(jobs)) continue;
      for (const job of jobs) await this.#commitGroup([job]);
    }
    this.#running = undefined;
  }

  /** Returns false when a group of several jobs failed and was rolled back. */
  async #commitGroup(jobs: Job[]): Promise<boolean> {
    const group = new WriteBuffer();
    const outcomes: Outcome[] = [];
    const { writes } = this.#native;
    try {
      this.#watch.requireUsable();
      await whileBusy(this.#control.begin);
    } catch (error) {
      // No transaction has begun, and none would for any of the jobs.
      this.#watch.failed(error);
      for (const { reject } of jobs) reject(translateStorageError(error));
      return true;
    }
    try {
      for (const job of jobs) outcomes.push(await this.#runJob(job, group));
      await group.storeCollected(this.#db);
      group.flush(this.#statements);
      this.#control.commit();
    } catch (error) {
      // On a full disk SQLite has already rolled back.
      if (this.#native.database.isTransaction) this.#control.rollback();
      const [only, ...others] = jobs;
      if (others.length > 0) return false;
      this.#watch.failed(error instanceof JobFailed ? error.cause : error);
      only?.reject(translateStorageError(error instanceof JobFailed ? error.cause : error));
      return true;
    }
    this.commits++;
    try {
      // The content of a deleted file is lost with this process, so the write must not be acknowledged.
      this.#watch.requireUsable();
    } catch (error) {
      // Committed, so nothing of it may run again.
      for (const { reject } of jobs) reject(error);
      return true;
    }
    this.#watch.committed(this.#native.writes !== writes);
    for (const callback of group.callbacks) this.#call(callback);
    for (const outcome of outcomes)
      if ('error' in outcome) outcome.job.reject(outcome.error);
      else outcome.job.resolve(outcome.value);
    return true;
  }

  async #runJob(job: Job, group: WriteBuffer): Promise<Outcome> {
    const before = group.mark();
    const { writes } = this.#native;
    try {
      const value = await job.work({
        db: this.#db,
        rows: (query) => this.#statements.rows(query),
        update: (update, values) => Promise.resolve(this.#statements.rows(update.one(values))[0]),
        insertLater: (table, row) => group.insert(table, row),
        addLater: (table, key, amounts) => group.add(table, key, amounts as Record<string, number>),
        collect: (collector, item) => group.collect(collector, item),
        afterCommit: (callback) => group.callbacks.push(callback),
      });
      return { job, value };
    } catch (error) {
      if (this.#native.writes !== writes) throw new JobFailed(error);
      this.#watch.failed(error);
      // Nothing was written, so the rest of the group is not affected.
      group.undo(before);
      return { job, error: translateStorageError(error) };
    }
  }

  /** The commit is done, so an error of a callback is only reported. */
  #call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#reportBug(error);
    }
  }
}
