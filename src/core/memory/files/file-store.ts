import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Chunk, IndexedFile } from '../../../contract/memory.ts';
import { translateStorageError } from '../../storage/sqlite/storage-errors.ts';
import { isInside } from '../../paths/real-path.ts';
import { hashText } from '../index/hash-text.ts';
import type { StoredChunk, StoredFile } from '../index/index-calls.ts';
import type { KeywordIndex } from '../index/keyword-index.ts';
import { pathRange } from '../index/path-range.ts';
import type { TextChunk } from './chunk-text.ts';
import { ForgottenFiles } from './forgotten-files.ts';
import { outermost } from './outermost.ts';
import { SyncedDirectories } from './synced-directories.ts';

export interface FileStoreDeps {
  database: DatabaseSync;
  keywords: KeywordIndex;
  /** Called after each commit with the chunks that were added and removed. */
  onChange: (change: { added: number[]; removed: number[] }) => void;
  /** Where other daemons have a copy of the index. */
  journal?: FileJournal | undefined;
}

/** Takes note of changes for other daemons. */
export interface FileJournal {
  /** Within `transaction`: a file was stored, changed or removed. */
  note(path: string): void;
  /** An id that no daemon gives to another chunk. */
  nextChunkId(): number;
  beforeCommit(): void;
  afterCommit(): void;
  /** Within `transaction`: the index was cleared. */
  clear(): void;
}

/** The stored metadata of a file without its chunks. */
export interface KnownFile {
  id: number;
  stamp: string;
  hash: string;
  /** How many characters at the end of the path are searchable. */
  relativePathLength: number;
}

export interface FileToStore {
  path: string;
  /** The searchable part of the path. */
  relativePath: string;
  hash: string;
  size: number;
  stamp: string;
  updatedAt: string;
  chunks: (TextChunk & Pick<StoredChunk, 'id'>)[];
}

const LAST_SYNC = 'last_sync_at';
/** Files read or removed before yielding to the event loop. */
const BATCH_SIZE = 500;

/** Stores indexed files and their chunks. */
export class FileStore {
  readonly syncedDirectories: SyncedDirectories;
  readonly forgottenFiles: ForgottenFiles;
  readonly #deps: FileStoreDeps;
  readonly #sql: ReturnType<typeof statements>;
  /** The changes of the current transaction. */
  #change: { added: number[]; removed: number[] } | undefined;
  #fileCount: number | undefined;
  constructor(deps: FileStoreDeps) {
    this.#deps = deps;
    this.#sql = statements(deps.database);
    this.syncedDirectories = new SyncedDirectories(deps.database);
    this.forgottenFiles = new ForgottenFiles(deps.database);
  }

  list({ limit, offset }: { limit: number; offset: number }): { files: IndexedFile[]; total: number } {
    const files = this.#sql.page.all(limit, offset).map((row) => ({
      path: String(row['path']),
      hash: String(row['hash']),
      size: Number(row['size']),
      chunkCount: Number(row['chunk_count']),
      updatedAt: String(row['updated_at']),
    }));
    return { files, total: this.counts().fileCount };
  }

  /** undefined for a path that is not in the index. */
  chunksOf(path: string): Chunk[] | undefined {
    const file = this.#sql.file.get(path);
    return file && this.#sql.chunksOfFile.all(Number(file['id'])).map((row) => toChunk(row, path));
  }

  /** Returns the existing chunks by id. */
  chunks(ids: number[]): Map<number, Chunk> {
    const rows = this.#sql.chunksById.all(JSON.stringify(ids));
    return new Map(rows.map((row) => [Number(row['id']), toChunk(row, String(row['path']))]));
  }

  removeChunk(id: string): boolean {
    const number = /^chunk_([1-9]\d{0,15})$/.exec(id)?.[1];
    if (number === undefined || !Number.isSafeInteger(Number(number))) return false;
    return this.transaction(() => {
      const row = this.#sql.removeChunk.get(Number(number));
      if (!row) return false;
      this.#deps.keywords.remove(Number(number));
      this.#sql.oneChunkLess.run(Number(row['file_id']));
      this.#deps.journal?.note(this.#pathOf(Number(row['file_id'])));
      this.#changed.removed.push(Number(number));
      return true;
    });
  }

  removeFile(path: string): boolean {
    return this.transaction(() => {
      const known = this.known(path);
      if (known) this.remove(known);
      return known !== undefined;
    });
  }

  /** Removes files outside of the directories, yielding to the event loop in between. */
  async keepOnly(directories: string[]): Promise<void> {
    this.syncedDirectories.keepOnly(directories);
    for (const files of this.outside(directories)) {
      this.transaction(() => {
        for (const file of files) this.remove(file);
      });
      await yieldToEventLoop();
    }
  }

  /** Files outside of the directories, in batches. */
  *outside(directories: string[]): Generator<KnownFile[]> {
    const outer = outermost(directories);
    const inside = outer.reduce((sum, directory) => {
      const { path, above, below } = pathRange(directory);
      return sum + Number(this.#sql.countBelow.get(path, above, below)?.['n']);
    }, 0);
    if (inside === this.fileCount) return;
    const outsideRows = [...this.#sql.all.iterate()].filter(
      (row) => !outer.some((directory) => isInside(directory, String(row['path']))),
    );
    for (let at = 0; at < outsideRows.length; at += BATCH_SIZE)
      yield outsideRows.slice(at, at + BATCH_SIZE).map((row) => toKnown(row));
  }

  /** Removes all files and chunks. A vector stays when an entry has the same text. */
  clear(): void {
    this.transaction(() => {
      for (const row of this.#sql.chunkIds.iterate()) this.#changed.removed.push(Number(row['id']));
      this.#deps.keywords.clear();
      this.#deps.database.exec(`
        delete from chunks; delete from files; delete from facts where name = '${LAST_SYNC}';
        delete from vectors where text_hash not in (select text_hash from temp.entries);
      `);
      this.#fileCount = 0;
      this.#deps.journal?.clear();
    });
  }

  counts(): { fileCount: number; chunkCount: number } {
    return { fileCount: this.fileCount, chunkCount: Number(this.#sql.countChunks.get()?.['n']) };
  }

  get fileCount(): number {
    return (this.#fileCount ??= Number(this.#sql.countFiles.get()?.['n']));
  }

  lastSyncAt(): string | null {
    const value = this.#sql.fact.get(LAST_SYNC)?.['value'];
    return value === undefined ? null : String(value);
  }

  setLastSyncAt(time: string): void {
    this.transaction(() => this.#sql.setFact.run(LAST_SYNC, time));
  }

  known(path: string): KnownFile | undefined {
    const row = this.#sql.file.get(path);
    return row && toKnown(row);
  }

  /** Indexed files at or below a path, in batches ordered by path. */
  *knownBelow(path: string): Generator<[path: string, file: KnownFile][]> {
    const exact = this.known(path);
    if (exact) yield [[path, exact]];
    const { above, below } = pathRange(path);
    for (let after = above; ;) {
      const rows = this.#sql.between.all(after, below, BATCH_SIZE);
      if (rows.length > 0) yield rows.map((row) => [String(row['path']), toKnown(row)]);
      if (rows.length < BATCH_SIZE) return;
      after = String(rows.at(-1)?.['path']);
    }
  }

  /** The next indexed files after a path, with their stamps. */
  stampsAfter(path: string, limit: number): { path: string; stamp: string }[] {
    return this.#sql.stampsAfter
      .all(path, limit)
      .map((row) => ({ path: String(row['path']), stamp: String(row['stamp']) }));
  }

  /** Runs `work` in one transaction. */
  transaction<Result>(work: () => Result): Result {
    const { database, onChange, journal } = this.#deps;
    const change = { added: [], removed: [] };
    let result: Result;
    try {
      database.exec('begin immediate');
      this.#change = change;
      result = work();
      journal?.beforeCommit();
      database.exec('commit');
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      this.#fileCount = undefined;
      throw translateStorageError(error);
    } finally {
      this.#change = undefined;
    }
    if (change.added.length > 0 || change.removed.length > 0) onChange(change);
    journal?.afterCommit();
    return result;
  }

  /** Within `transaction`: inserts or replaces a file. */
  put({ chunks, path, hash, size, stamp, updatedAt, relativePath }: FileToStore): void {
    const known = this.known(path);
    const values = [hash, size, stamp, relativePath.length, chunks.length, updatedAt];
    if (known) {
      this.#removeChunks(known.id);
      this.#sql.updateFile.run(...values, known.id);
    } else if (this.#fileCount !== undefined) this.#fileCount++;
    const id = known?.id ?? Number(this.#sql.addFile.run(...values, path).lastInsertRowid);
    const { journal } = this.#deps;
    for (const [ordinal, { id: given, startLine, endLine, heading, text }] of chunks.entries()) {
      // Without another daemon that has to know the chunk by it, the database chooses the id.
      const chunkId = given ?? journal?.nextChunkId() ?? null;
      const chunk = Number(
        this.#sql.putChunk.run(chunkId, id, ordinal, startLine, endLine, heading, text, hashText(text))
          .lastInsertRowid,
      );
      this.#deps.keywords.addNew(chunk, { label: relativePath, heading, body: text });
      this.#changed.added.push(chunk);
    }
    journal?.note(path);
  }

  /** What is stored of a file; undefined for a path that is not in the index. */
  read(path: string): StoredFile | undefined {
    const row = this.#sql.storedFile.get(path);
    if (!row) return undefined;
    return {
      relativePath: path.slice(path.length - Number(row['place_length'])),
      hash: String(row['hash']),
      size: Number(row['size']),
      stamp: String(row['stamp']),
      updatedAt: String(row['updated_at']),
      chunks: this.#sql.chunksOfFile.all(Number(row['id'])).map((chunk) => ({
        id: Number(chunk['id']),
        startLine: Number(chunk['start_line']),
        endLine: Number(chunk['end_line']),
        heading: String(chunk['heading']),
        text: String(chunk['text']),
      })),
    };
  }

  /** Within `transaction`: updates the stamp of an unchanged file. */
  touch({ id }: KnownFile, stamp: string): void {
    this.#sql.touch.run(stamp, id);
  }

  /** Within `transaction`: removes a file unless it was stored again meanwhile; returns whether it existed. */
  remove({ id, stamp }: KnownFile): boolean {
    const path = this.#deps.journal && this.#pathOf(id);
    if (this.#sql.removeFile.run(id, stamp).changes === 0) return false;
    if (path !== undefined) this.#deps.journal?.note(path);
    this.#removeChunks(id);
    if (this.#fileCount !== undefined) this.#fileCount--;
    return true;
  }

  #removeChunks(file: number): void {
    for (const row of this.#sql.removeChunks.all(file)) {
      const id = Number(row['id']);
      this.#deps.keywords.remove(id);
      this.#changed.removed.push(id);
    }
  }

  #pathOf(file: number): string {
    return String(this.#sql.pathOf.get(file)?.['path']);
  }

  get #changed() {
    if (!this.#change) throw new Error('This must be called inside transaction()');
    return this.#change;
  }
}

type Row = Record<string, SQLOutputValue>;

const toKnown = (row: Row): KnownFile => ({
  id: Number(row['id']),
  stamp: String(row['stamp']),
  hash: String(row['hash']),
  relativePathLength: Number(row['place_length']),
});

function toChunk(row: Row, path: string): Chunk {
  const heading = String(row['heading']);
  return {
    id: `chunk_${Number(row['id'])}`,
    path,
    startLine: Number(row['start_line']),
    endLine: Number(row['end_line']),
    text: String(row['text']),
    ...(heading !== '' && { heading }),
  };
}

function statements(database: DatabaseSync) {
  const columns = 'c.id, c.start_line, c.end_line, c.heading, c.text';
  return {
    page: database.prepare('select * from files order by path limit ? offset ?'),
    file: database.prepare('select id, stamp, hash, place_length from files where path = ?'),
    storedFile: database.prepare('select * from files where path = ?'),
    pathOf: database.prepare('select path from files where id = ?'),
    all: database.prepare('select id, path, stamp, hash, place_length from files'),
    between: database.prepare(
      'select id, path, stamp, hash, place_length from files where path > ? and path < ? order by path limit ?',
    ),
    countBelow: database.prepare(
      `select (select count(*) from files where path = ?)
         + (select count(*) from files where path > ? and path < ?) as n`,
    ),
    stampsAfter: database.prepare('select path, stamp from files where path > ? order by path limit ?'),
    countFiles: database.prepare('select count(*) as n from files'),
    countChunks: database.prepare('select count(*) as n from chunks'),
    // An upsert or `returning` makes the statement abortable, and FTS5 would then flush its words for each file.
    addFile: database.prepare(
      'insert into files (hash, size, stamp, place_length, chunk_count, updated_at, path) values (?, ?, ?, ?, ?, ?, ?)',
    ),
    updateFile: database.prepare(
      'update files set hash = ?, size = ?, stamp = ?, place_length = ?, chunk_count = ?, updated_at = ? where id = ?',
    ),
    touch: database.prepare('update files set stamp = ? where id = ?'),
    removeFile: database.prepare('delete from files where id = ? and stamp = ?'),
    chunksOfFile: database.prepare(`select ${columns} from chunks c where c.file_id = ? order by c.ordinal`),
    chunksById: database.prepare(
      `select ${columns}, f.path from json_each(?) given
       join chunks c on c.id = given.value join files f on f.id = c.file_id`,
    ),
    chunkIds: database.prepare('select id from chunks'),
    putChunk: database.prepare(
      `insert into chunks (id, file_id, ordinal, start_line, end_line, heading, text, text_hash)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    removeChunks: database.prepare('delete from chunks where file_id = ? returning id'),
    removeChunk: database.prepare('delete from chunks where id = ? returning file_id'),
    oneChunkLess: database.prepare('update files set chunk_count = chunk_count - 1 where id = ?'),
    fact: database.prepare('select value from facts where name = ?'),
    setFact: database.prepare('insert or replace into facts (name, value) values (?, ?)'),
  };
}
