import { setTimeout as delay } from 'node:timers/promises';
import type { QueryResult } from 'pg';
import type { ClockSample } from '../../shared-clock.ts';
import { AppError } from '../../errors.ts';
import type { WriteTransaction } from '../database.ts';
import { WriteBuffer } from '../write-buffer.ts';
import type { ColumnTypes } from './column-types.ts';
import type { PostgresServer } from './connection-options.ts';
import { noteTransaction, type NotedTransaction, outcomeOf } from './noted-transaction.ts';
import {
  isConnectionLost,
  isOfServer,
  isPlanOutdated,
  isReadOnly,
  isWorthAnotherTry,
  translatePostgresError,
} from './postgres-errors.ts';
import { RowBatches } from './row-batches.ts';
import { WriterConnection, type WriterLane } from './writer-connection.ts';

const MAX_GROUP = 256;
/** How often a work runs that other writers are in the way of. */
const MAX_TRIES = 5;
const RETRY_MS = 20;

type Work = (transaction: WriteTransaction) => Promise<unknown>;
interface Job {
  work: Work;
  isIndependent: boolean;
  /** How often it ran and another writer was in the way. */
  tries: number;
  /** How often its connection was lost before the commit was sent. */
  losses: number;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}
type Outcome = { job: Job; value: unknown; buffer: WriteBuffer } | { job: Job; error: unknown };

export interface PostgresGroupCommitDeps {
  server: PostgresServer;
  /** Connections that commit side by side: while one waits for the disk the next one fills. */
  writers: number;
  types: ColumnTypes;
  random: () => number;
  monotonic: () => number;
  onTime: (sample: ClockSample) => void;
  reportBug: (error: unknown) => void;
  /** Observes whether the server takes writes. */
  watch: { failed(error: unknown): void; committed(): void };
}

/** A work failed after a part of it was done, so the transaction of its group must be rolled back. */
class WorkFailed extends Error {
  constructor(cause: unknown) {
    super('a write failed after a part of it was done', { cause });
  }
}

/** The commit was sent, and the connection was lost before its answer came. */
class CommitInDoubt extends Error {
  readonly transaction: NotedTransaction;
  readonly outcomes: Outcome[];
  constructor(cause: unknown, transaction: NotedTransaction, outcomes: Outcome[]) {
    super('the answer to a commit was lost', { cause });
    this.transaction = transaction;
    this.outcomes = outcomes;
  }
}

/**
 * The group commit of SQLite for PostgreSQL, with several writers: concurrent writes share a transaction and resolve
 * after its commit. Works of a group run one after another, because nothing isolates them from each other inside a
 * transaction; those that are independent are sent together. Work may run again, and never does after its commit.
 */
export class PostgresGroupCommit {
  commits = 0;
  readonly #deps: PostgresGroupCommitDeps;
  readonly #idle: WriterConnection[];
  readonly #writers: readonly WriterConnection[];
  #waiting: Job[] = [];
  #running = 0;
  #isKicked = false;
  #onIdle: (() => void)[] = [];

  constructor(deps: PostgresGroupCommitDeps) {
    this.#deps = deps;
    this.#writers = Array.from({ length: deps.writers }, () => new WriterConnection(deps.server, deps.types));
    this.#idle = [...this.#writers];
  }

  run<T>(work: (transaction: WriteTransaction) => Promise<T>, isIndependent = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#add({ work, isIndependent, tries: 0, losses: 0, resolve: resolve as Job['resolve'], reject });
    });
  }

  /** Resolves once no write is pending, and ends the connections. */
  async close(): Promise<void> {
    while (this.#waiting.length > 0 || this.#running > 0)
      await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    await Promise.all(this.#writers.map((writer) => writer.end()));
  }

  #add(job: Job): void {
    this.#waiting.push(job);
    this.#kick();
  }

  /** Writes of the same turn of the event loop join the group of one idle writer. */
  #kick(): void {
    if (this.#isKicked || this.#idle.length === 0) return;
    this.#isKicked = true;
    setImmediate(() => {
      this.#isKicked = false;
      const writer = this.#waiting.length > 0 ? this.#idle.pop() : undefined;
      if (!writer) return;
      this.#running++;
      const jobs = this.#waiting.splice(0, MAX_GROUP);
      void this.#commit(writer, jobs)
        .catch(this.#deps.reportBug)
        .finally(() => {
          this.#running--;
          this.#idle.push(writer);
          if (this.#waiting.length > 0) this.#kick();
          else if (this.#running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
        });
      if (this.#waiting.length > 0) this.#kick();
    });
  }

  async #commit(writer: WriterConnection, jobs: Job[]): Promise<void> {
    try {
      this.#succeeded(await this.#transact(writer, jobs));
    } catch (error) {
      if (error instanceof CommitInDoubt) return this.#resolveDoubt(writer, jobs, error);
      const cause = error instanceof WorkFailed ? error.cause : error;
      if (isConnectionLost(cause) || isReadOnly(cause)) return this.#lost(writer, jobs, cause);
      await writer.query('rollback').catch(() => writer.drop());
      const isOutdated = isPlanOutdated(cause);
      if (isOutdated) writer.forgetPlans();
      const isInTheWay = isOutdated || isWorthAnotherTry(cause);
      const [job, ...others] = jobs;
      if (job && others.length === 0) {
        if (isInTheWay && ++job.tries < MAX_TRIES) await this.#again(job);
        else this.#reject(job, cause);
        return;
      }
      // Only the faulty ones are to fail.
      for (const one of jobs) await this.#commit(writer, [one]);
    }
  }

  async #again(job: Job): Promise<void> {
    await delay(this.#deps.random() * RETRY_MS * 2 ** job.tries);
    this.#add(job);
  }

  #reject(job: Job, error: unknown): void {
    this.#deps.watch.failed(error);
    job.reject(translatePostgresError(error));
  }

  /** Nothing was committed. Where an idle connection was cut, a new one does; where the server is away, waiting does not help. */
  #lost(writer: WriterConnection, jobs: Job[], cause: unknown): void {
    writer.drop();
    for (const job of jobs)
      if (++job.losses === 1) this.#add(job);
      else this.#reject(job, cause);
  }

  async #resolveDoubt(writer: WriterConnection, jobs: Job[], doubt: CommitInDoubt): Promise<void> {
    writer.drop();
    const outcome = await outcomeOf(writer, doubt.transaction);
    if (outcome === 'committed') return this.#succeeded(doubt.outcomes);
    if (outcome === 'aborted') return this.#lost(writer, jobs, doubt.cause);
    this.#deps.watch.failed(doubt.cause);
    for (const { reject } of jobs)
      reject(
        new AppError(
          'unavailable',
          'The connection to the database was lost during the commit: the change may have been stored. Look at it before you try again.',
          { cause: doubt.cause },
        ),
      );
  }

  #succeeded(outcomes: Outcome[]): void {
    this.commits++;
    this.#deps.watch.committed();
    for (const outcome of outcomes)
      if ('buffer' in outcome) for (const callback of outcome.buffer.callbacks) this.#call(callback);
    for (const outcome of outcomes)
      if ('error' in outcome) outcome.job.reject(translatePostgresError(outcome.error));
      else outcome.job.resolve(outcome.value);
  }

  /** The commit is done, so an error of a callback is only reported. */
  #call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#deps.reportBug(error);
    }
  }

  /** Notes the time of the server, and returns the id of the transaction. */
  #noteTime({ rows }: QueryResult, sentAt: number): string {
    const [{ id, time }] = rows as [{ id: string; time: number }];
    this.#deps.onTime({ sentAt, answeredAt: this.#deps.monotonic(), serverTime: time });
    return id;
  }

  /** Rejects if nothing was committed, or with `CommitInDoubt`. */
  async #transact(writer: WriterConnection, jobs: Job[]): Promise<Outcome[]> {
    await writer.connect();
    // Not awaited: `begin` and the first statements of the works leave together. They lock what they have to, and every
    // other level, which may be the default of the database, would refuse those that write the same row.
    const begun = quiet(writer.query('begin isolation level read committed'));
    const sentAt = this.#deps.monotonic();
    const { name } = writer;
    const id = quiet(writer.query(noteTransaction, [name]).then((result) => this.#noteTime(result, sentAt)));
    const [ran] = await Promise.allSettled([runAll(writer, jobs)]);
    // Where the transaction did not begin, what its works met is only a consequence of that.
    await begun;
    const transaction = { writer: name, id: await id };
    if (ran.status === 'rejected') throw ran.reason;
    const outcomes = ran.value;
    const rows = new WriteBuffer();
    for (const outcome of outcomes) if ('buffer' in outcome) rows.append(outcome.buffer);
    await rows.storeCollected(writer.lane(0).db);
    const batches = new RowBatches(this.#deps.types);
    rows.flush(batches);
    // The rows and the commit leave together: where a row is refused, the server makes a rollback of the commit.
    const sent = batches.statements().map(({ text, values }) => quiet(writer.query(text, values)));
    const committed = quiet(writer.query('commit'));
    try {
      await Promise.all(sent);
      const { command } = await committed;
      if (command !== 'COMMIT') throw new Error(`the commit was answered with ${command}`);
    } catch (error) {
      if (isConnectionLost(error)) throw new CommitInDoubt(error, transaction, outcomes);
      throw error;
    }
    return outcomes;
  }
}

/** Runs neighbours that are independent at the same time, all others one after another. */
async function runAll(writer: WriterConnection, jobs: Job[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < jobs.length;) {
    let end = at + 1;
    if (jobs[at]?.isIndependent) while (jobs[end]?.isIndependent) end++;
    const together = jobs.slice(at, end);
    // All of them have to be through before the transaction is ended.
    const settled = await Promise.allSettled(
      together.map((job, index) => runOne(writer, writer.lane(index), job)),
    );
    for (const each of settled) {
      if (each.status === 'rejected') throw each.reason;
      outcomes.push(each.value);
    }
    at = end;
  }
  return outcomes;
}

async function runOne(writer: WriterConnection, lane: WriterLane, job: Job): Promise<Outcome> {
  const { connection, db } = lane;
  const buffer = new WriteBuffer();
  const { writes } = connection;
  try {
    const value = await job.work({
      db,
      rows: async (query) => (await db.executeQuery(query)).rows,
      update: (update, values) => writer.update(lane, update, values),
      insertLater: (table, row) => buffer.insert(table, row),
      addLater: (table, key, amounts) => buffer.add(table, key, amounts as Record<string, number>),
      collect: (collector, item) => buffer.collect(collector, item),
      afterCommit: (callback) => buffer.callbacks.push(callback),
    });
    return { job, value, buffer };
  } catch (error) {
    // An error of the server voids the transaction for all.
    if (connection.writes !== writes || isOfServer(error)) throw new WorkFailed(error);
    return { job, error };
  }
}

/** A promise that is awaited later: until then its rejection is not unhandled. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
