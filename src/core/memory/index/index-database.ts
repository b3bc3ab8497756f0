import { chmodSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { AppError, messageOf } from '../../errors.ts';

/** Increased when the tables or the tokenization change; an index of another version is recreated. */
const VERSION = 2;

/** The FTS5 tokenizer and stemmer. */
export const TOKENIZER = "porter unicode61 categories 'L* N* M* Co'";

/** FTS5 segments merged at a time; with fewer, each word is written more often. */
const MERGED_AT_ONCE = 16;
/** FTS5 `hashsize`: bytes of words buffered in memory before they are written; the default is a quarter of it. */
const GATHERED_BYTES = 4 * 2 ** 20;

/** A full-text table without the texts themselves. */
const wordTable = (name: string) => `
  create virtual table if not exists ${name} using fts5(
    place, heading, body, owner, content='', contentless_delete=1, tokenize="${TOKENIZER}"
  )`;

const fileTables = `
  create table if not exists files (
    id integer primary key, path text not null unique, hash text not null, size integer not null,
    stamp text not null, place_length integer not null default 0, chunk_count integer not null, updated_at text not null
  );
  create table if not exists chunks (
    id integer primary key autoincrement, file_id integer not null, ordinal integer not null,
    start_line integer not null, end_line integer not null, heading text not null, text text not null,
    text_hash blob not null
  );
  create index if not exists chunks_by_file on chunks (file_id, ordinal);
  create index if not exists chunks_by_text on chunks (text_hash);
  create table if not exists vectors (
    id integer primary key, model text not null, text_hash blob not null, vector blob not null
  );
  create unique index if not exists vectors_by_text on vectors (model, text_hash);
  create table if not exists facts (name text primary key, value text not null);
  create table if not exists synced_folders (path text primary key, at real not null);
  create table if not exists forgotten_files (path text primary key, at real not null);
  ${wordTable('chunk_words')};
`;
const settings = `insert into chunk_words (chunk_words, rank)
  values ('automerge', ${MERGED_AT_ONCE}), ('hashsize', ${GATHERED_BYTES});`;

/** Pages of the write-ahead log: fewer checkpoints during a sync. */
const LOG_PAGES = 4000;

/** Entries are sent again at each start. */
const entryTables = `
  create table temp.entries (
    id integer primary key, key text not null unique, owner_id text not null, text text not null,
    text_hash blob not null
  );
  create index temp.entries_by_text on entries (text_hash);
  ${wordTable('temp.entry_words')};
`;

/**
 * Opens the index database. It only holds what the indexed files hold, so a damaged or outdated one is recreated, and
 * commits do not wait for the disk. A full disk or a read-only path leaves the index alone.
 */
export function openIndexDatabase(file: string, cacheMiB: number): DatabaseSync {
  try {
    return open(file, cacheMiB);
  } catch (error) {
    if (!(error instanceof VersionMismatch) && !isCorruption(error)) throw toAppError(error, file);
  }
  return recreateIndexDatabase(file, cacheMiB);
}

/** Deletes the index, which must be closed, and creates one that is marked as incomplete. */
export function recreateIndexDatabase(file: string, cacheMiB: number): DatabaseSync {
  try {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    const database = open(file, cacheMiB);
    database.exec(`insert into facts values ('${LOST}', '1')`);
    return database;
  } catch (error) {
    throw toAppError(error, file);
  }
}

/** Whether the index is that of the cluster, or of none where it is undefined; an empty one becomes it. */
export function belongsTo(database: DatabaseSync, cluster: string | undefined): boolean {
  const found = database.prepare(`select value from facts where name = '${CLUSTER}'`).get()?.['value'];
  if (found === cluster) return true;
  const isEmpty = database.prepare('select 1 from files limit 1').get() === undefined;
  if (found !== undefined || cluster === undefined || !isEmpty) return false;
  database.prepare(`insert into facts values ('${CLUSTER}', ?)`).run(cluster);
  return true;
}

/** Whether the index was recreated and its content is not restored yet. */
export const needsRestore = (database: DatabaseSync): boolean =>
  database.prepare(`select 1 from facts where name = '${LOST}'`).get() !== undefined;

/** Marks the content as restored or no longer wanted. */
export const markRestored = (database: DatabaseSync): void =>
  database.exec(`delete from facts where name = '${LOST}'`);

/** Whether the error means a damaged database, which may only show when a page is read later. */
export const isCorruption = (error: unknown): boolean =>
  [CORRUPT, NOT_A_DATABASE].includes(resultCode(error)) ||
  (error instanceof AppError && error.cause !== undefined && isCorruption(error.cause));

/** The names of rows in `facts`. */
const LOST = 'lost';
const CLUSTER = 'cluster';

class VersionMismatch extends Error {}

/** Result codes of SQLite. */
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

/** -1 for other errors than those of SQLite. */
function resultCode(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  // Only the primary result code matters here.
  return typeof code === 'number' ? code & 255 : -1;
}

function toAppError(cause: unknown, file: string): AppError {
  return new AppError(
    resultCode(cause) === FULL ? 'storage_full' : 'unavailable',
    `The memory index cannot be opened at ${file}: ${messageOf(cause)}`,
    { cause },
  );
}

function open(file: string, cacheMiB: number): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5000, allowExtension: true });
  try {
    database.exec(`
      pragma journal_mode = wal; pragma synchronous = normal; pragma temp_store = memory;
      pragma trusted_schema = off; pragma cache_size = ${-1024 * cacheMiB};
      pragma wal_autocheckpoint = ${LOG_PAGES};
    `);
    chmodSync(file, 0o600);
    const version = Number(database.prepare('pragma user_version').get()?.['user_version']);
    const isNew = database.prepare('select 1 from sqlite_master limit 1').get() === undefined;
    if (version !== VERSION && !(version === 0 && isNew))
      throw new VersionMismatch(`The index has version ${version}`);
    database.exec(`
      begin; ${fileTables} ${isNew ? settings : ''} pragma user_version = ${VERSION}; commit; ${entryTables}
    `);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
