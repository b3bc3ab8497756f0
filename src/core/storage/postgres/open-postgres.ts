import { sql } from 'kysely';
import type { ClockSample } from '../../shared-clock.ts';
import type { Database } from '../database.ts';
import { readColumnTypes } from './column-types.ts';
import { addressOf, type PostgresServer } from './connection-options.ts';
import { postgresEngine } from './postgres-engine.ts';
import { PostgresGroupCommit } from './postgres-group-commit.ts';
import { postgresSpace } from './postgres-space.ts';
import { ReaderPool } from './reader-pool.ts';
import { ServerWatch } from './server-watch.ts';
import { TaskNumbers } from './task-numbers.ts';

export interface PostgresOptions extends PostgresServer {
  /** Connections that read; a fifth of them for queries that may take long. */
  readers: number;
  /** Connections that write. */
  writers: number;
  /** Reports an error that no caller can receive. */
  reportBug: (error: unknown) => void;
  /** Milliseconds for a query of `longRead`. */
  longReadMs?: number;
  /** Milliseconds that never jump. */
  monotonic?: () => number;
  /** Is called with the time of the server. */
  onTime?: (sample: ClockSample) => void;
  /** From 0 to below 1. */
  random?: () => number;
}

/** A query that takes longer does not help who waits for it. */
const LONG_READ_MS = 2000;
/** What any other read may take; none of them should come near. */
const READ_MS = 15_000;

/** Opens a database whose schema is migrated. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const {
    readers,
    monotonic = () => performance.now(),
    random = Math.random,
    onTime = () => undefined,
    reportBug,
  } = options;
  const address = addressOf(options.url);
  const watch = new ServerWatch({ address, monotonic, onTime });
  const onError = (error: unknown) => watch.failed(error);
  const long = Math.max(1, Math.floor(readers / 5));
  const pool = new ReaderPool(options, {
    connections: Math.max(1, readers - long),
    limitMs: READ_MS,
    onError,
  });
  const longPool = new ReaderPool(options, {
    connections: long,
    limitMs: options.longReadMs ?? LONG_READ_MS,
    onError,
  });
  const closeReaders = () => Promise.all([pool.close(), longPool.close()]);
  try {
    const types = await readColumnTypes(pool.db);
    const group = new PostgresGroupCommit({
      server: options,
      writers: options.writers,
      types,
      random,
      monotonic,
      onTime,
      reportBug,
      watch,
    });
    const write: Database['write'] = (work, how) => group.run(work, how?.independent);
    const numbers = new TaskNumbers((count) =>
      write(async ({ db }) => {
        const { rows } = await sql<{ first: number }>`
          select nextval('task_seq') as first from generate_series(1, ${count})`.execute(db);
        return rows.map(({ first }) => first);
      }),
    );
    await numbers.fill();
    return {
      read: pool.db,
      longRead: longPool.db,
      write,
      engine: postgresEngine({ read: pool.db, write }, numbers),
      commits: () => group.commits,
      space: postgresSpace(pool.db, address),
      fault: () => watch.fault(),
      checkNow: () => watch.check(pool),
      contactMs: () => watch.contactMs(),
      async close() {
        await group.close();
        await closeReaders();
      },
    };
  } catch (error) {
    await closeReaders();
    throw error;
  }
}
