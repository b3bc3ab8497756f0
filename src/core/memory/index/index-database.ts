import { chmodSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { AppError, messageOf } from '../../errors.ts';

/** Changes with the tables below or with how texts become words: an index of another version is made anew. */
const VERSION = 2;

/** How the index cuts texts into words, and words to their stems. */
export const TOKENIZER = "porter unicode61 categories 'L* N* M* Co'";

/** Parts of the index of words that are put together at a time; with less, each word is written more often. */
const MERGED_AT_ONCE = 16;
/** Bytes of words that are gathered in memory before they are written, instead of a quarter of it; FTS5's `hashsize`. */
const GATHERED_BYTES = 4 * 2 ** 20;

/** The words of texts, without the texts themselves. */
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

/** Of the log: what a sync writes several times is copied from it less often. */
const LOG_PAGES = 4000;

/** What is not of a file comes anew from elsewhere at each start. */
const entryTables = `
  create table temp.entries (
    id integer primary key, key text not null unique, owner_id text not null, text text not null,
    text_hash blob not null
  );
  create index temp.entries_by_text on entries (text_hash);
  ${wordTable('temp.entry_words')};
`;

/**
 * Opens the database of the index. It holds nothing that the indexed files do not hold, so one that is damaged or of
 * another version is thrown away, and a commit does not wait for the disk. A disk that is full or a place that may not
 * be written is no fault of the index, which stays.
 */
export function openIndexDatabase(file: string, cacheMiB: number): DatabaseSync {
  try {
    return open(file, cacheMiB);
  } catch (error) {
    if (!(error instanceof OtherVersion) && !isDamage(error)) throw asAppError(error, file);
  }
  return openAnew(file, cacheMiB);
}

/** Throws the index away, which nothing may have open, and begins another that knows that it takes the place of one. */
export function openAnew(file: string, cacheMiB: number): DatabaseSync {
  try {
    for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
    const database = open(file, cacheMiB);
    database.exec(`insert into facts values ('${LOST}', '1')`);
    return database;
  } catch (error) {
    throw asAppError(error, file);
  }
}

/** Whether the index holds less than the one that it took the place of. */
export const isLost = (database: DatabaseSync): boolean =>
  database.prepare(`select 1 from facts where name = '${LOST}'`).get() !== undefined;

/** What was lost is there again, or nobody wants it. */
export const forgetLoss = (database: DatabaseSync): void =>
  database.exec(`delete from facts where name = '${LOST}'`);

/** Whether the database itself is at fault, which may show in a page that is read late; it will not get better. */
export const isDamage = (error: unknown): boolean =>
  [CORRUPT, NOT_A_DATABASE].includes(resultCode(error)) ||
  (error instanceof AppError && error.cause !== undefined && isDamage(error.cause));

/** The name of the fact. */
const LOST = 'lost';

class OtherVersion extends Error {}

/** Result codes of SQLite. */
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

/** -1 for what is no error of SQLite. */
function resultCode(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  // The rest of an extended code says more than is asked here.
  return typeof code === 'number' ? code & 255 : -1;
}

function asAppError(cause: unknown, file: string): AppError {
  return new AppError(
    resultCode(cause) === FULL ? 'storage_full' : 'unavailable',
    `The index of the memory cannot be opened at ${file}: ${messageOf(cause)}`,
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
      throw new OtherVersion(`This index is of version ${version}`);
    database.exec(`
      begin; ${fileTables} ${isNew ? settings : ''} pragma user_version = ${VERSION}; commit; ${entryTables}
    `);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
