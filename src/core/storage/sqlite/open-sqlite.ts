import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { ReportStart } from '../../../contract/start-step.ts';
import { AppError } from '../../errors.ts';
import { explainUnwritable } from '../../paths/explain-unwritable.ts';
import type { Database } from '../database.ts';
import { GroupCommit } from './group-commit.ts';
import { checkIntegrity } from './integrity.ts';
import { ReaderThreads } from './long-reads/reader-threads.ts';
import { threadedSqliteDialect } from './long-reads/threaded-dialect.ts';
import { migrate } from './migrate.ts';
import type { Schema } from '../schema.ts';
import { patientSqliteDialect, nodeSqliteDialect } from './sqlite-dialect.ts';
import { lastTaskSeq, sqliteEngine } from './sqlite-engine.ts';
import { sqliteSpace } from './sqlite-space.ts';
import { StorageCheck } from './storage-check.ts';
import { translateStorageError } from './storage-errors.ts';
import { StorageWatch } from './storage-watch.ts';

export interface StorageOptions {
  /** The database file, or `memory` for a temporary one. */
  file: string;
  synchronous: 'FULL' | 'NORMAL' | 'OFF';
  cacheMiB: number;
  /** Reports an error that no caller can receive. */
  reportBug: (error: unknown) => void;
  /** Is called before each step of an upgrade. */
  report?: ReportStart | undefined;
  /** Whether this process still holds the lock of the data directory. */
  isLocked?: () => boolean;
  /** Milliseconds for a query of `longRead`. */
  longReadMs?: number;
  /** Milliseconds that never jump. */
  monotonic?: () => number;
}

/** How long the start waits for the lock of another process; later statements never block the event loop. */
const START_TIMEOUT_MS = 1000;

/** A query that takes longer does not help who waits for it. */
const LONG_READ_MS = 2000;

/** Opens the database, checks its integrity and migrates its schema. */
export async function openSqlite(options: StorageOptions): Promise<Database> {
  const temporary = options.file === 'memory' ? mkdtempSync(join(tmpdir(), 'svc-memory-')) : undefined;
  const file = temporary ? join(temporary, 'svc.db') : options.file;
  const synchronous = temporary ? 'OFF' : options.synchronous;
  const connections: DatabaseSync[] = [];
  const connect = (readOnly: boolean) => {
    const connection = open(file, synchronous, options.cacheMiB, readOnly);
    connections.push(connection);
    return connection;
  };
  // The writer last: only then SQLite removes the log. Kysely would not close an unused connection.
  const disconnect = () => {
    for (const connection of connections.splice(0).reverse()) connection.close();
  };
  try {
    const writer = connect(false);
    chmodSync(file, 0o600);
    const damage = checkIntegrity(writer, statSync(file).size);
    const damagedNow = damage();
    if (damagedNow) throw damaged(file, damagedNow);
    const counting = { database: writer, writes: 0 };
    const writeDb = new Kysely<Schema>({ dialect: nodeSqliteDialect(counting) });
    await migrate(writer, writeDb, file, { report: options.report });
    const { isLocked, monotonic = () => performance.now() } = options;
    const watch = new StorageWatch({ file, monotonic, isLocked });
    const reader = connect(true);
    const translateRead = (error: unknown) => {
      watch.failed(error);
      return translateStorageError(error);
    };
    const read = new Kysely<Schema>({
      dialect: patientSqliteDialect({ database: reader, writes: 0 }, translateRead),
    });
    const threads = new ReaderThreads({
      file,
      cacheMiB: options.cacheMiB / 2,
      limitMs: options.longReadMs ?? LONG_READ_MS,
      translate: translateRead,
    });
    for (const connection of connections) connection.exec('pragma busy_timeout = 0');
    const group = new GroupCommit({
      native: counting,
      db: writeDb,
      reportBug: options.reportBug,
      watch,
    });
    const write: Database['write'] = (work, how) => {
      const found = damage();
      if (found) watch.noteDamage();
      return found ? Promise.reject(damaged(file, found)) : group.run(work, how?.mayWaitMs);
    };
    const check = new StorageCheck({ watch, write, monotonic, reportBug: options.reportBug });
    return {
      read,
      longRead: new Kysely<Schema>({ dialect: threadedSqliteDialect(threads) }),
      write,
      engine: sqliteEngine({ read, write }, lastTaskSeq(writer)),
      commits: () => group.commits,
      space: sqliteSpace({ file, native: counting, reader, write, group, watch }),
      fault() {
        if (damage()) watch.noteDamage();
        return watch.fault();
      },
      checkNow: () => check.run(),
      contactMs: () => Number.POSITIVE_INFINITY,
      async close() {
        await Promise.all([group.idle(), threads.close()]);
        disconnect();
        if (temporary) rmSync(temporary, { recursive: true, force: true });
      },
    };
  } catch (error) {
    disconnect();
    throw translateStartError(error, file);
  }
}

function open(file: string, synchronous: string, cacheMiB: number, readOnly: boolean): DatabaseSync {
  const database = new DatabaseSync(file, {
    readOnly,
    timeout: START_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  });
  const share = Math.round((cacheMiB * 1024) / 2);
  database.exec(`pragma cache_size = -${share}; pragma trusted_schema = off; pragma temp_store = memory`);
  if (!readOnly)
    database.exec(
      // auto_vacuum takes effect in new files only, which can then return free pages in steps.
      `pragma auto_vacuum = incremental; pragma journal_mode = wal; pragma synchronous = ${synchronous};
       pragma wal_autocheckpoint = 2000; pragma journal_size_limit = 67108864`,
    );
  return database;
}

const damaged = (file: string, what: string) =>
  new AppError(
    'unavailable',
    `The database ${file} is damaged (${what}). Restore a backup, or move the file away to start empty.`,
  );

function translateStartError(error: unknown, file: string): unknown {
  const explained = explainUnwritable(error, file);
  if (explained !== error) return explained;
  const translated = translateStorageError(error);
  const isCorrupt = error instanceof Error && 'errcode' in error && [11, 26].includes(Number(error.errcode));
  return isCorrupt ? damaged(file, error.message) : translated;
}
