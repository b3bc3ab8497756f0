import { type Dirent, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isInside } from '../../paths/real-path.ts';
import type { DirtyPaths } from './dirty-paths.ts';
import type { FileStore } from './file-store.ts';
import type { FileSync } from './file-sync.ts';
import { lookAt } from './stat-if-exists.ts';
import { outermost } from './outermost.ts';

/** How long the thread looks before others get their turn. */
const PIECE_MS = 20;
const PAGE = 200;
/** Says what of its folder is indexed. */
const RULES = '.gitignore';
/** Stamps of files are coarse: a change this short after a look can bear the same one. */
const STAMP_MS = 100;

export interface FileRoundDeps {
  store: Pick<FileStore, 'stampsAfter' | 'known' | 'syncedFolders' | 'forgottenFiles'>;
  sync: Pick<FileSync, 'changedFiles'>;
  dirty: Pick<DirtyPaths, 'mark'>;
  /** Whether a file or folder of this path is never indexed, as far as its path tells. */
  isIgnored: (path: string) => boolean;
  now?: () => Date;
  monotonic?: () => number;
}

interface KnownFolder {
  /** Another number is another folder. */
  inode: number;
  /** undefined where it may change again without another stamp. */
  changedAt: number | undefined;
  seenAt: number;
  folders: Set<string>;
  /** When its rules changed that say what is indexed; undefined where it has none. */
  rulesChangedAt: number | undefined;
}

interface Visit {
  folder: string;
  /** It is marked as a whole. */
  isCovered: boolean;
}

/**
 * Goes round all indexed files and folders and marks what is not as the index knows it: files that changed or are gone,
 * by their stamps, and new ones in folders that changed.
 */
export class FileRound {
  readonly #deps: FileRoundDeps;
  readonly #now: () => number;
  readonly #monotonic: () => number;
  #folders = new Map<string, KnownFolder>();
  #clearedAt = -Infinity;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #costMs = 0;
  #endedAt = -Infinity;
  #isClosed = false;

  constructor(deps: FileRoundDeps) {
    this.#deps = deps;
    const { now, monotonic } = deps;
    this.#now = now ? () => now().getTime() : Date.now;
    this.#monotonic = monotonic ?? (() => performance.now());
  }

  /** How long the thread worked for the last one; 0 before the first. */
  get costMs(): number {
    return this.#costMs;
  }

  /** By `performance.now()`; Infinity while one is under way. */
  get endedAt(): number {
    return this.#current ? Infinity : this.#endedAt;
  }

  /** Resolves after a round that began after the call. */
  scan(roots: string[]): Promise<void> {
    this.#next ??= (this.#current ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.#current = this.#next;
        this.#next = undefined;
        return this.#run(roots);
      })
      .finally(() => (this.#current = undefined));
    return this.#next;
  }

  /** Somebody took this file out of the index. */
  wasRemoved(path: string): void {
    const stats = lookAt(path);
    if (stats) this.#deps.store.forgottenFiles.add(path, stats.ctimeMs);
  }

  /** Somebody took everything out of the index. */
  wasCleared(): void {
    const { syncedFolders, forgottenFiles } = this.#deps.store;
    this.#clearedAt = this.#now();
    syncedFolders.recordCleared(this.#clearedAt);
    forgottenFiles.clear('/');
  }

  close(): void {
    this.#isClosed = true;
  }

  async #run(roots: string[]): Promise<void> {
    let cost = 0;
    const steps = this.#steps(roots);
    for (let isDone = false; !isDone && !this.#isClosed;) {
      const start = this.#monotonic();
      do isDone = steps.next().done ?? false;
      while (!isDone && this.#monotonic() - start < PIECE_MS);
      cost += this.#monotonic() - start;
      await nextTurn();
    }
    this.#costMs = cost;
    this.#endedAt = this.#monotonic();
  }

  *#steps(roots: string[]): Generator<void> {
    const { store, sync, dirty } = this.#deps;
    for (let after: string | undefined = ''; after !== undefined;) {
      const paths: string[] = store.stampsAfter(after, PAGE).map(({ path }) => path);
      for (const path of sync.changedFiles(paths, Infinity).changed) dirty.mark(path);
      yield;
      after = paths.at(-1);
    }
    const seen = new Map<string, KnownFolder>();
    for (const root of outermost(roots)) {
      const ahead = [{ folder: root, isCovered: false }];
      for (let next = ahead.pop(); next; next = ahead.pop()) {
        for (const below of this.#visit(next, seen)) ahead.push(below);
        yield;
      }
    }
    this.#folders = seen;
  }

  /** Marks what is new in a folder, unless it is marked as a whole, and answers the folders in it. */
  #visit({ folder, isCovered }: Visit, seen: Map<string, KnownFolder>): Visit[] {
    const { dirty } = this.#deps;
    const stats = lookAt(folder);
    if (!stats?.isDirectory()) return [];
    const known = this.#folders.get(folder);
    const isReplaced = known !== undefined && known.inode !== stats.ino;
    const isMarked = isCovered || isReplaced;
    if (isReplaced && !isCovered) dirty.mark(folder);
    const before = isReplaced ? undefined : known;
    // What a sync did not index, though it was there, is left out for a reason. No number where none came to its end:
    // nothing is new there, somebody has to begin.
    const syncedAt = (this.#deps.store.syncedFolders.lastSyncedAt(folder) ?? Number.NaN) - STAMP_MS;
    const since = before ? Math.max(before.seenAt - STAMP_MS, syncedAt) : syncedAt;
    const seenAt = this.#now();
    const now: KnownFolder =
      before?.changedAt === stats.mtimeMs
        ? { ...before, seenAt }
        : {
            inode: stats.ino,
            changedAt: stats.mtimeMs < seenAt - STAMP_MS ? stats.mtimeMs : undefined,
            seenAt,
            folders: new Set(),
            rulesChangedAt: undefined,
          };
    seen.set(folder, now);
    const marked =
      now.folders === before?.folders ? [] : this.#list(folder, { now, before, since, isMarked });
    if (now.rulesChangedAt !== undefined) now.rulesChangedAt = stampOf(join(folder, RULES));
    const hasOtherRules = before
      ? now.rulesChangedAt !== before.rulesChangedAt
      : now.rulesChangedAt !== undefined && now.rulesChangedAt >= since;
    if (hasOtherRules && !isMarked) dirty.mark(join(folder, RULES));
    const below = [...now.folders];
    return below.map((name) => ({
      folder: join(folder, name),
      isCovered: isMarked || hasOtherRules || marked.includes(name),
    }));
  }

  /** Reads a folder; answers which folders in it are new and marked as a whole. */
  #list(
    folder: string,
    look: { now: KnownFolder; before: KnownFolder | undefined; since: number; isMarked: boolean },
  ): string[] {
    const { dirty, isIgnored } = this.#deps;
    const { now, before, since, isMarked } = look;
    const marked: string[] = [];
    for (const entry of entriesOf(folder)) {
      const { name } = entry;
      const path = join(folder, name);
      if (isIgnored(path)) continue;
      if (entry.isDirectory()) {
        now.folders.add(name);
        if (isMarked || !this.#isNewFolder(path, name, before, since)) continue;
        marked.push(name);
        dirty.mark(path);
      } else if (entry.isFile()) {
        if (name === RULES) now.rulesChangedAt = 0;
        if (!isMarked && this.#isNewFile(path, since)) dirty.mark(path);
      }
    }
    return marked;
  }

  #isNewFile(path: string, since: number): boolean {
    const stats = lookAt(path);
    return stats !== undefined && this.#isAfter(path, stats, since) && !this.#deps.store.known(path);
  }

  /** A folder can come with files that are older than anything the index knows: moved here, or unpacked. */
  #isNewFolder(path: string, name: string, before: KnownFolder | undefined, since: number): boolean {
    if (before) return !before.folders.has(name) && !Number.isNaN(since);
    const stats = lookAt(path);
    if (!stats || !this.#isAfter(path, stats, since)) return false;
    const [first] = this.#deps.store.stampsAfter(`${path}/`, 1);
    return first === undefined || !isInside(path, first.path);
  }

  #isAfter(path: string, stats: Stats, since: number): boolean {
    const at = stats.ctimeMs;
    return at >= since && at >= this.#clearedAt && !this.#deps.store.forgottenFiles.has(path, at);
  }
}

const stampOf = (path: string): number => lookAt(path)?.ctimeMs ?? 0;

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone, or not to be read: the files that it had are told by their stamps.
    return [];
  }
}
