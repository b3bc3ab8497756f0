import { type BigIntStats, closeSync, fstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { codeOf } from '../../paths/file-errors.ts';
import { isInside } from '../../paths/real-path.ts';
import type { SyncOrder } from '../index/index-calls.ts';
import { chunkText } from './chunk-text.ts';
import type { FileStore, KnownFile } from './file-store.ts';
import { stampOf, stampToKeep } from './file-stamp.ts';
import { OpenFolders } from './open-folders.ts';
import { type ReadText, readText } from './read-text.ts';
import { SkippedFiles } from './skipped-files.ts';
import { GONE } from './walk-tree.ts';

export interface FileIntakeDeps {
  store: FileStore;
  order: Omit<SyncOrder, 'basePath'>;
  now: () => Date;
}

/** What was read of a file, or why nothing was. */
type Reading = { read: ReadText | 'not a regular file'; stamp: string } | 'gone' | 'unreadable';

/** Brings single files from the disk into the index, and counts what came of it. */
export class FileIntake implements Disposable {
  readonly skipped = new SkippedFiles();
  /** Files that the index now holds as they are. */
  synced = 0;
  added = 0;
  updated = 0;
  removed = 0;
  readonly #deps: FileIntakeDeps;
  #opened: { root: string; folders: OpenFolders } | undefined;
  constructor(deps: FileIntakeDeps) {
    this.#deps = deps;
  }

  get counts() {
    const { synced, added, updated, removed, skipped } = this;
    return { synced, added, updated, removed, skipped: skipped.total, reasons: skipped.reasons };
  }

  /** Whether the index has a file as it is, by its stamp and the place that it is found by. */
  isAsKnown(known: KnownFile | undefined, path: string, stats: BigIntStats): boolean {
    return known?.stamp === stampOf(stats) && known.placeLength === this.#placeOf(path).length;
  }

  /** Within a change of the store: reads a file that is new or may have changed, and stores it if it did. */
  take(path: string): void {
    const { store, order, now } = this.#deps;
    const known = store.known(path);
    if (!known && store.fileCount >= order.maxFiles) return this.skipped.add('over the limit of files');
    const reading = this.#read(path);
    if (reading === 'gone') return this.remove(known);
    if (reading === 'unreadable') return this.skipped.add(reading);
    const { read, stamp } = reading;
    if (typeof read === 'string') {
      this.skipped.add(read);
      return this.remove(known);
    }
    this.synced++;
    const place = this.#placeOf(path);
    if (known?.hash === read.hash && known.placeLength === place.length) return store.touch(known, stamp);
    if (known) this.updated++;
    else this.added++;
    const { text, hash, size } = read;
    const chunks = chunkText(path, text);
    const updatedAt = now().toISOString();
    store.put({ path, place, hash, size, stamp, updatedAt, chunks });
  }

  /** Within a change of the store: removes what is not there any more, unless it was stored anew meanwhile. */
  remove(known: KnownFile | undefined): void {
    if (known && this.#deps.store.remove(known)) this.removed++;
  }

  [Symbol.dispose](): void {
    this.#opened?.folders[Symbol.dispose]();
    this.#opened = undefined;
  }

  #read(path: string): Reading {
    const { order, now } = this.#deps;
    try {
      const descriptor = this.#folderOf(path).openFile(basename(path));
      try {
        const stats = fstatSync(descriptor, { bigint: true });
        const stamp = stampToKeep(stats, now().getTime());
        if (!stats.isFile()) return { read: 'not a regular file', stamp };
        if (stats.size > BigInt(order.maxFileBytes)) return { read: 'too large', stamp };
        return { read: readText(descriptor, Number(stats.size), order.maxFileBytes), stamp };
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      return GONE.includes(code) ? 'gone' : 'unreadable';
    }
  }

  #folderOf(path: string): OpenFolders {
    const root = this.#rootOf(path);
    if (this.#opened?.root !== root) {
      this[Symbol.dispose]();
      this.#opened = { root, folders: new OpenFolders(root) };
    }
    const { folders } = this.#opened;
    folders.goTo(dirname(path));
    return folders;
  }

  /** The innermost of the roots. */
  #rootOf(path: string): string {
    const around = this.#deps.order.roots.filter((root) => isInside(root, path));
    return around.sort((a, b) => b.length - a.length)[0] ?? dirname(path);
  }

  /** What a person would call the place: the way from the root. */
  #placeOf(path: string): string {
    return path.slice(this.#rootOf(path).length);
  }
}
