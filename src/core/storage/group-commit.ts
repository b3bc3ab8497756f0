import type { Kysely } from 'kysely';
import type { WriteTransaction } from './database.ts';
import type { Schema } from './schema.ts';
import type { CountingDatabase } from './sqlite-dialect.ts';
import { translateStorageError } from './storage-errors.ts';
import { StatementCache, WriteBuffer } from './write-buffer.ts';

/** Bounds how long one commit keeps the event loop. */
const MAX_GROUP = 256;

interface Job {
  work: (transaction: WriteTransaction) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}
type Outcome = { job: Job; value: unknown } | { job: Job; error: unknown };

/** A job failed after it had written, so that its group has to be rolled back. */
class JobFailed extends Error {
  constructor(cause: unknown) {
    super('a write failed half-way', { cause });
  }
}

/**
 * Runs all writes of one moment in one transaction and answers after the commit. One durable commit costs as much as a
 * hundred rows, so this is what makes durability cheap. Where a group fails it is rolled back and each of its writes
 * runs in a transaction of its own, so that only those fail that have to; a work may therefore run twice.
 */
export class GroupCommit {
  commits = 0;
  readonly #native: CountingDatabase;
  readonly #db: Kysely<Schema>;
  readonly #reportBug: (error: unknown) => void;
  readonly #statements = new StatementCache();
  readonly #control: Record<'begin' | 'commit' | 'rollback', () => void>;
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;

  constructor(deps: { native: CountingDatabase; db: Kysely<Schema>; reportBug: (error: unknown) => void }) {
    const { native } = deps;
    this.#native = native;
    this.#db = deps.db;
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

  run<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Job['resolve'], reject });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves once no write is waiting or under way. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Everything that this turn of the event loop still brings joins the group.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const jobs = this.#waiting.splice(0, MAX_GROUP);
      if (await this.#commitGroup(jobs)) continue;
      for (const job of jobs) await this.#commitGroup([job]);
    }
    this.#running = undefined;
  }

  /** Answers false, and nothing happened, when the group failed and holds more than one job. */
  async #commitGroup(jobs: Job[]): Promise<boolean> {
    const group = new WriteBuffer();
    const outcomes: Outcome[] = [];
    try {
      this.#control.begin();
      for (const job of jobs) outcomes.push(await this.#runJob(job, group));
      await group.flush(this.#db, this.#statements);
      this.#control.commit();
    } catch (error) {
      // A full disk ends the transaction by itself.
      if (this.#native.database.isTransaction) this.#control.rollback();
      const [only, ...others] = jobs;
      if (others.length > 0) return false;
      only?.reject(translateStorageError(error instanceof JobFailed ? error.cause : error));
      return true;
    }
    this.commits++;
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
        insertLater: (table, row) => group.insert(table, row),
        addLater: (table, key, amounts) => group.add(table, key, amounts as Record<string, number>),
        afterCommit: (callback) => group.callbacks.push(callback),
      });
      return { job, value };
    } catch (error) {
      if (this.#native.writes !== writes) throw new JobFailed(error);
      // Nothing was written: the others need not be troubled.
      group.undo(before);
      return { job, error: translateStorageError(error) };
    }
  }

  /** The commit stands, whatever a callback does. */
  #call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#reportBug(error);
    }
  }
}
