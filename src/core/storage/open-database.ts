import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { AppError } from '../errors.ts';
import type { Database } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { checkIntegrity } from './integrity.ts';
import { migrate } from './migrate.ts';
import type { Schema } from './schema.ts';
import { nodeSqliteDialect } from './sqlite-dialect.ts';
import { sqliteEngine } from './sqlite-engine.ts';
import { translateStorageError } from './storage-errors.ts';

export interface StorageOptions {
  /** The database file, or `memory` for one that goes with the process. */
  file: string;
  synchronous: 'FULL' | 'NORMAL' | 'OFF';
  cacheMiB: number;
  /** Takes a fault that no caller can be told of. */
  reportBug: (error: unknown) => void;
}

/** A statement waits this long for another process's lock; the event loop waits with it. */
const BUSY_TIMEOUT_MS = 1000;

/** Opens the database, checks it, and brings its schema to this version. */
export async function openDatabase(options: StorageOptions): Promise<Database> {
  const temporary = options.file === 'memory' ? mkdtempSync(join(tmpdir(), 'svc-memory-')) : undefined;
  const file = temporary ? join(temporary, 'svc.db') : options.file;
  const synchronous = temporary ? 'OFF' : options.synchronous;
  const connections: DatabaseSync[] = [];
  const connect = (readOnly: boolean) => {
    const connection = open(file, synchronous, options.cacheMiB, readOnly);
    connections.push(connection);
    return connection;
  };
  // The writer last: only that takes the log away. Kysely would not close a connection that it has not used.
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
    await migrate(writer, writeDb, file);
    const read = new Kysely<Schema>({
      dialect: nodeSqliteDialect({ database: connect(true), writes: 0 }),
    });
    const last = writer.prepare('select max(seq) as seq from tasks').get();
    const group = new GroupCommit({
      native: counting,
      db: writeDb,
      reportBug: options.reportBug,
    });
    const write: Database['write'] = (work) => {
      const found = damage();
      return found ? Promise.reject(damaged(file, found)) : group.run(work);
    };
    return {
      read,
      write,
      engine: sqliteEngine({ read, write }, Number(last?.['seq'] ?? 0)),
      commits: () => group.commits,
      async close() {
        await group.idle();
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
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  });
  const share = Math.round((cacheMiB * 1024) / 2);
  database.exec(`pragma cache_size = -${share}; pragma trusted_schema = off; pragma temp_store = memory`);
  if (!readOnly)
    database.exec(
      `pragma journal_mode = wal; pragma synchronous = ${synchronous};
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
  const translated = translateStorageError(error);
  const isCorrupt = error instanceof Error && 'errcode' in error && [11, 26].includes(Number(error.errcode));
  return isCorrupt ? damaged(file, error.message) : translated;
}
