import type { CompiledQuery, Kysely, RawBuilder, SqlBool } from 'kysely';
import type { ListedTable } from './listed-tables.ts';
import type { PreparedUpdate } from './prepared-update.ts';
import type { Schema } from './schema.ts';
import type { StorageFault } from './storage-fault.ts';

type Row<T extends keyof Schema> = Partial<Schema[T]>;
type Values = Record<string, string | number | null>;

/** A unit of work inside a commit that it shares with concurrent ones. */
export interface WriteTransaction {
  /** Runs queries inside the transaction. The work must await nothing else. */
  readonly db: Kysely<Schema>;
  /** Runs a query of `prepareQuery` inside the transaction and returns its rows, at a fraction of what `db` costs. */
  rows<R>(query: CompiledQuery<R>): R[] | Promise<R[]>;
  /**
   * Runs an update of `prepareUpdate` inside the transaction, where a database is remote together with those of other
   * works; undefined where its guard did not hold.
   */
  update<P extends { id: string }, R extends { id: string }>(
    update: PreparedUpdate<P, R>,
    values: NoInfer<P>,
  ): Promise<R | undefined>;
  /** Inserts at the end of the transaction, batched with other rows of the table; not visible inside the transaction. */
  insertLater<T extends keyof Schema>(table: T, row: Row<T>): void;
  /** Adds `amounts` to the row with `key`, which is created when missing; the sums of one commit become one write. */
  addLater<T extends keyof Schema>(table: T, key: Row<T> & Values, amounts: Row<T> & Values): void;
  /** Gives `item` to the collector at the end of the transaction, with those of the other works in it. */
  collect<I>(collector: Collector<I>, item: I): void;
  /** Runs once the commit is durable, before `write` resolves. */
  afterCommit(callback: () => void): void;
}

/** Stores what several works of a transaction have in common, such as the next links of one chain. */
export interface Collector<I> {
  /** Runs once for a transaction, after its works; what it rejects with fails them. */
  store(transaction: Pick<WriteTransaction, 'db' | 'insertLater'>, items: I[]): Promise<void>;
}

export interface WriteOptions {
  /**
   * Promises that each change of the work is one guarded statement, and that nothing it reads decides what it writes: it
   * may then run at the same time as others of its transaction. Other works run one after another.
   */
  independent?: boolean;
  /**
   * Milliseconds for which the work may wait for another write whose commit it then shares. Engines ignore it whose commits
   * hold nothing else up.
   */
  mayWaitMs?: number;
}

/** The options of an independent work. */
export const independent: WriteOptions = { independent: true };

export interface Database {
  /** Reads committed data only. */
  readonly read: Kysely<Schema>;
  /**
   * Reads committed data without the event loop, for queries that may take long. One that takes longer than a few seconds
   * rejects with `ReadTimeLimit`, if it has `engine.inTime()` among its conditions. No transactions.
   */
  readonly longRead: Kysely<Schema>;
  /**
   * Resolves once the work is durable. Work that throws is rolled back alone and rejects with its error; faults of disk
   * and database reject as `AppError`. Work may run twice, so it must change nothing but the database.
   */
  write<T>(work: (transaction: WriteTransaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** The parts that differ between database engines. */
  readonly engine: Engine;
  /** Number of commits since the start, for benchmarks. */
  readonly commits: () => number;
  /** The size of the file, and how to reduce it. */
  readonly space: DatabaseSpace;
  /** What keeps the daemon from storing anything and what to do about it, if anything does. */
  readonly fault: () => StorageFault | undefined;
  /** Milliseconds for which nothing has kept the database from answering; without end for a file of this machine. */
  contactMs(): number;
  /** Tries to write if there was a fault or may be one, and returns the fault that remains. */
  checkNow(): Promise<StorageFault | undefined>;
  /** Waits for pending writes, then closes. */
  close(): Promise<void>;
}

/** The space that the database takes, in bytes. */
export interface SpaceUse {
  /** Where it is: the path of its file, or host, port and name. */
  location: string;
  bytes: number;
  walBytes: number;
  /** What removed rows left and new ones will take. */
  freeBytes: number;
  /** Whether free space can return to the disk in steps; a file of an older svc must be rewritten once. */
  isIncremental: boolean;
}

/** A table with its indexes. */
export interface TableUse {
  name: string;
  rows: number;
  bytes: number;
}

export interface DatabaseSpace {
  read(): Promise<SpaceUse>;
  /** The largest first; it may read all of the database. */
  tables(): Promise<TableUse[]>;
  /** Works also if the database cannot be read; the disk of a database server is not known. */
  onDisk(): { databaseBytes: number; diskFreeBytes?: number };
  /** Returns at most so many free bytes to the disk; resolves to how many. */
  giveBack(bytes: number): Promise<number>;
  /** Rewrites the database without its free space. Reads continue, writes may wait; it needs free disk space. */
  rewrite(): Promise<void>;
}

/** The newest or the oldest matches, from a number on. */
export interface TextSlice {
  order: 'asc' | 'desc';
  /** The first number that may match. */
  from?: number | undefined;
  limit: number;
}

/** The rows of one value in an index, and what the index is sorted by before all else. */
export interface IndexRange {
  where: RawBuilder<SqlBool>;
  before: RawBuilder<unknown>[];
}

/** What only one transaction of all daemons may do at a time. */
export type Section = 'accounts' | 'audit' | 'inbound' | 'pairing' | 'policy' | 'worktrees';

/** Conditions whose SQL differs between engines. */
export interface Engine {
  /** The sequence number of the next task: increasing, possibly with gaps. */
  nextTaskSeq(): number;
  /** Numbers of tasks whose title, description or prompt contain all words of `query`; the last word may be a prefix. */
  textMatches(query: string, slice?: TextSlice): RawBuilder<{ seq: number }>;
  /** How many tasks these are. Where there are more than `most`, the number may be any above it. */
  textCount(query: string, most: number): RawBuilder<{ n: number }>;
  /** Whether a task that was found another way is one of them. */
  textTest(query: string): RawBuilder<SqlBool>;
  /** A query of these numbers. */
  numbers(list: readonly number[]): RawBuilder<{ value: number }>;
  /** `join` that reads the table on its left first. */
  joinInOrder(): RawBuilder<unknown>;
  /** A column that no index is used for: the condition tests rows that were found another way. */
  withoutIndex<T>(column: string): RawBuilder<T>;
  /** The rows of one value, for a query that is sorted by `before` and by what follows it in the index: it reads no other. */
  inIndex(column: RawBuilder<unknown>, value: unknown): IndexRange;
  /** True for each task that `longRead` reads, until its time limit stops the query. */
  inTime(): RawBuilder<SqlBool>;
  /** The result of a task as JSON, without what may be as long as a file. */
  resultWithoutTexts(): RawBuilder<string | null>;
  hasTag(tag: string): RawBuilder<SqlBool>;
  /** The value at a path such as `$.usage.totalTokens` in a column that holds JSON; null where there is none. */
  jsonValue<T>(column: string, path: string): RawBuilder<T>;
  /** Whether the table may have so many rows that counting them would hold up other requests. */
  mayHaveMany(table: ListedTable): Promise<boolean>;
  /** The query inside a transaction, with its rows kept from changing until the commit; they may be referred to. */
  lock<Q extends { forNoKeyUpdate(): Q }>(query: Q): Q;
  /**
   * Resolves when no other transaction that locked the user can commit before this one: for rules about everything that
   * a user has, such as how many.
   */
  lockUser(db: Kysely<Schema>, userId: string): Promise<void>;
  /**
   * Resolves when no other transaction that is in the same section can commit before this one: what is read after it
   * holds until the commit.
   */
  enter(db: Kysely<Schema>, section: Section): Promise<void>;
  /** Adds a new task to those whose text is still to be indexed. */
  noteText(transaction: WriteTransaction, seq: number): void;
  /** Updates the text index with all committed tasks. */
  refreshTextIndex(): Promise<void>;
  /** Does a change of the text of a task, and updates the text index with it. */
  changeText(db: Kysely<Schema>, seq: number, change: () => Promise<void>): Promise<void>;
  /** Takes tasks out of the text index, in the transaction that removes them and before it does. */
  forgetTexts(db: Kysely<Schema>, seqs: number[]): Promise<void>;
}
