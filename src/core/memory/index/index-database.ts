import { chmodSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Changes with the tables below or with how texts become words: an index of another version is made anew. */
const VERSION = 1;

/** `words` is a copy of the text as it is searched, which the index of words keeps no second time. */
const wordTable = (name: string) => `
  create virtual table if not exists ${name} using fts5(
    place, heading, body, owner, content='', contentless_delete=1, tokenize="porter unicode61 categories 'L* N* M* Co'"
  )`;

const fileTables = `
  create table if not exists files (
    id integer primary key, path text not null unique, hash text not null, size integer not null,
    stamp text not null, chunk_count integer not null, updated_at text not null
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
  ${wordTable('chunk_words')};
`;

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
 * Opens the database of the index. It holds nothing that the indexed files do not hold, so one that cannot be read is
 * thrown away, and a commit does not wait for the disk.
 */
export function openIndexDatabase(file: string, cacheMiB: number): DatabaseSync {
  try {
    return open(file, cacheMiB);
  } catch {
    for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
    return open(file, cacheMiB);
  }
}

function open(file: string, cacheMiB: number): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5000, allowExtension: true, defensive: false });
  try {
    database.exec(`
      pragma journal_mode = wal; pragma synchronous = normal; pragma temp_store = memory;
      pragma trusted_schema = off; pragma cache_size = ${-1024 * cacheMiB};
    `);
    chmodSync(file, 0o600);
    const version = Number(database.prepare('pragma user_version').get()?.['user_version']);
    if (version !== 0 && version !== VERSION) throw new Error(`This index is of version ${version}`);
    database.exec(`begin; ${fileTables} pragma user_version = ${VERSION}; commit; ${entryTables}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
