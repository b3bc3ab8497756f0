import type { Kysely, RawBuilder, SqlBool } from 'kysely';
import type { Schema } from './schema.ts';

type Row<T extends keyof Schema> = Partial<Schema[T]>;
type Values = Record<string, string | number | null>;

/** What a piece of work may do inside the commit that it shares with others of the same moment. */
export interface WriteTransaction {
  /** Runs queries inside the transaction. A work awaits nothing but these. */
  readonly db: Kysely<Schema>;
  /** Inserts at the end of the transaction, together with other rows of the table. Nothing in the transaction sees it. */
  insertLater<T extends keyof Schema>(table: T, row: Row<T>): void;
  /** Adds `amounts` to the row with `key`, which is made when it is missing; sums of one commit become one write. */
  addLater<T extends keyof Schema>(table: T, key: Row<T> & Values, amounts: Row<T> & Values): void;
  /** Runs once the commit is durable, before the caller gets its answer. */
  afterCommit(callback: () => void): void;
}

export interface Database {
  /** Committed data only: a read never sees a half-done write. */
  readonly read: Kysely<Schema>;
  /**
   * Resolves once the work is durable. A work that throws is rolled back alone and rejects with what it threw; faults
   * of disk and database reject as `AppError`. A work may run twice, so it changes nothing but the database.
   */
  write<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T>;
  /** What differs between the engines. */
  readonly engine: Engine;
  /** Commits and rows since the start, for benchmarks and health. */
  readonly commits: () => number;
  /** Waits for the writes under way, then closes. */
  close(): Promise<void>;
}

/** Conditions that each engine writes in its own way. */
export interface Engine {
  /** The number of the next task: rising in the order of creation, perhaps with gaps. */
  nextTaskSeq(): number;
  /** Tasks whose title, description or prompt hold all words of `query`; the last word may be a beginning. */
  textMatches(query: string): RawBuilder<SqlBool>;
  hasLabel(label: string): RawBuilder<SqlBool>;
  hasTag(tag: string): RawBuilder<SqlBool>;
  /** Brings the text index up to date with what was committed; resolves when it is. */
  refreshTextIndex(): Promise<void>;
}
