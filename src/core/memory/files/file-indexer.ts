import { type BigIntStats, closeSync, fstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { codeOf } from '../../paths/file-errors.ts';
import { isInside } from '../../paths/real-path.ts';
import type { SyncRequest } from '../index/index-calls.ts';
import { chunkText } from './chunk-text.ts';
import type { FileStore, KnownFile } from './file-store.ts';
import { stampOf, stampToKeep } from './file-stamp.ts';
import { DirectoryCursor } from './directory-cursor.ts';
import { type ReadText, readText } from './read-text.ts';
import { SkippedFiles } from './skipped-files.ts';
import { GONE } from './tree-walk.ts';

export interface FileIndexerDeps {
  store: FileStore;
  request: Omit<SyncRequest, 'basePath'>;
  now: () => Date;
}

/** The content of a file, or why it was not read. */
type ReadOutcome = { read: ReadText | 'not a regular file'; stamp: string } | 'gone' | 'unreadable';

/** Indexes single files and counts the results. */
export class FileIndexer implements Disposable {
  readonly skipped = new SkippedFiles();
  /** Files whose index entry is up to date. */
  synced = 0;
  added = 0;
  updated = 0;
  removed = 0;
  readonly #deps: FileIndexerDeps;
  #opened: { root: string; cursor: DirectoryCursor } | undefined;
  constructor(deps: FileIndexerDeps) {
    this.#deps = deps;
  }

  get counts() {
    const { synced, added, updated, removed, skipped } = this;
    return { synced, added, updated, removed, skipped: skipped.total, reasons: skipped.reasons };
  }

  /** Whether the stored stamp and relative path of a file still match. */
  isUnchanged(known: KnownFile | undefined, path: string, stats: BigIntStats): boolean {
    return known?.stamp === stampOf(stats) && known.relativePathLength === this.#relativePath(path).length;
  }

  /** Within a transaction: reads a new or modified file and stores it if its content changed. */
  indexFile(path: string): void {
    const { store, request, now } = this.#deps;
    const known = store.known(path);
    if (!known && store.fileCount >= request.maxFiles) return this.skipped.add('over the limit of files');
    const reading = this.#read(path);
    if (reading === 'gone') return this.remove(known);
    if (reading === 'unreadable') return this.skipped.add(reading);
    const { read, stamp } = reading;
    if (typeof read === 'string') {
      this.skipped.add(read);
      return this.remove(known);
    }
    this.synced++;
    const relativePath = this.#relativePath(path);
    if (known?.hash === read.hash && known.relativePathLength === relativePath.length)
      return store.touch(known, stamp);
    if (known) this.updated++;
    else this.added++;
    const { text, hash, size } = read;
    const chunks = chunkText(path, text);
    const updatedAt = now().toISOString();
    store.put({ path, relativePath, hash, size, stamp, updatedAt, chunks });
  }

  /** Within a transaction: removes a missing file unless it was stored again meanwhile. */
  remove(known: KnownFile | undefined): void {
    if (known && this.#deps.store.remove(known)) this.removed++;
  }

  [Symbol.dispose](): void {
    this.#opened?.cursor[Symbol.dispose]();
    this.#opened = undefined;
  }

  #read(path: string): ReadOutcome {
    const { request, now } = this.#deps;
    try {
      const descriptor = this.#openDirectoryOf(path).openFile(basename(path));
      try {
        const stats = fstatSync(descriptor, { bigint: true });
        const stamp = stampToKeep(stats, now().getTime());
        if (!stats.isFile()) return { read: 'not a regular file', stamp };
        if (stats.size > BigInt(request.maxFileBytes)) return { read: 'too large', stamp };
        return { read: readText(descriptor, Number(stats.size), request.maxFileBytes), stamp };
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      return GONE.includes(code) ? 'gone' : 'unreadable';
    }
  }

  #openDirectoryOf(path: string): DirectoryCursor {
    const root = this.#rootOf(path);
    if (this.#opened?.root !== root) {
      this[Symbol.dispose]();
      this.#opened = { root, cursor: new DirectoryCursor(root) };
    }
    const { cursor } = this.#opened;
    cursor.moveTo(dirname(path));
    return cursor;
  }

  /** The innermost root that contains the path. */
  #rootOf(path: string): string {
    const around = this.#deps.request.roots.filter((root) => isInside(root, path));
    return around.sort((a, b) => b.length - a.length)[0] ?? dirname(path);
  }

  /** The path below its root, with a leading slash. */
  #relativePath(path: string): string {
    return path.slice(this.#rootOf(path).length);
  }
}
