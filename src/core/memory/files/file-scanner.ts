import { type Dirent, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isInside } from '../../paths/real-path.ts';
import type { DirtyPaths } from './dirty-paths.ts';
import type { FileStore } from './file-store.ts';
import type { FileSync } from './file-sync.ts';
import { statIfExists } from './stat-if-exists.ts';
import { outermost } from './outermost.ts';

/** How long a slice of work blocks the thread. */
const SLICE_MS = 20;
const PAGE = 200;
/** The rule file of a directory. */
const RULE_FILE = '.gitignore';
/** File times are coarse: a change within this time after a check may have the same timestamp. */
const TIMESTAMP_TOLERANCE_MS = 100;

export interface FileScannerDeps {
  store: Pick<FileStore, 'stampsAfter' | 'known' | 'syncedDirectories' | 'forgottenFiles'>;
  sync: Pick<FileSync, 'changedFiles'>;
  dirty: Pick<DirtyPaths, 'mark'>;
  /** Whether the path alone rules out that it is ever indexed. */
  isIgnored: (path: string) => boolean;
  /** Whether the index also has files of other daemons, which only they compare. */
  isShared?: boolean;
  now?: () => Date;
  monotonic?: () => number;
}

interface KnownDirectory {
  /** Another inode means that the directory was replaced. */
  inode: number;
  /** undefined when it may still change without a new timestamp. */
  changedAt: number | undefined;
  seenAt: number;
  directories: Set<string>;
  /** When its rule file changed; undefined when it has none. */
  rulesChangedAt: number | undefined;
}

interface Visit {
  directory: string;
  /** The whole directory is already marked as dirty. */
  isCovered: boolean;
}

/**
 * Scans all indexed files and directories and marks differences to the index: modified and removed files by their
 * stamps, and new files in modified directories.
 */
export class FileScanner {
  readonly #deps: FileScannerDeps;
  readonly #now: () => number;
  readonly #monotonic: () => number;
  #directories = new Map<string, KnownDirectory>();
  #clearedAt = -Infinity;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #lastDurationMs = 0;
  #finishedAt = -Infinity;
  #isClosed = false;

  constructor(deps: FileScannerDeps) {
    this.#deps = deps;
    const { now, monotonic } = deps;
    this.#now = now ? () => now().getTime() : Date.now;
    this.#monotonic = monotonic ?? (() => performance.now());
  }

  /** How long the last scan blocked the thread; 0 before the first. */
  get lastDurationMs(): number {
    return this.#lastDurationMs;
  }

  /** In time of `performance.now()`; Infinity while a scan is running. */
  get finishedAt(): number {
    return this.#current ? Infinity : this.#finishedAt;
  }

  /** Resolves after a scan that started after the call. */
  scan(roots: string[]): Promise<void> {
    this.#next ??= (this.#current ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.#current = this.#next;
        this.#next = undefined;
        return this.#scan(roots);
      })
      .finally(() => (this.#current = undefined));
    return this.#next;
  }

  /** Remembers that a user removed this file from the index. */
  recordRemoved(path: string): void {
    const stats = statIfExists(path);
    if (stats) this.#deps.store.forgottenFiles.add(path, stats.ctimeMs);
  }

  /** Remembers that a user cleared the index. */
  recordCleared(): void {
    const { syncedDirectories, forgottenFiles } = this.#deps.store;
    this.#clearedAt = this.#now();
    syncedDirectories.recordCleared(this.#clearedAt);
    forgottenFiles.clear('/');
  }

  close(): void {
    this.#isClosed = true;
  }

  async #scan(roots: string[]): Promise<void> {
    let blockedMs = 0;
    const steps = this.#steps(roots);
    for (let isDone = false; !isDone && !this.#isClosed;) {
      const start = this.#monotonic();
      do isDone = steps.next().done ?? false;
      while (!isDone && this.#monotonic() - start < SLICE_MS);
      blockedMs += this.#monotonic() - start;
      await yieldToEventLoop();
    }
    this.#lastDurationMs = blockedMs;
    this.#finishedAt = this.#monotonic();
  }

  *#steps(roots: string[]): Generator<void> {
    const { store, sync, dirty, isShared } = this.#deps;
    for (let after: string | undefined = ''; after !== undefined;) {
      const paths: string[] = store.stampsAfter(after, PAGE).map(({ path }) => path);
      const own = isShared ? paths.filter((path) => roots.some((root) => isInside(root, path))) : paths;
      for (const path of sync.changedFiles(own, Infinity).changed) dirty.mark(path);
      yield;
      after = paths.at(-1);
    }
    const seen = new Map<string, KnownDirectory>();
    for (const root of outermost(roots)) {
      const queue = [{ directory: root, isCovered: false }];
      for (let next = queue.pop(); next; next = queue.pop()) {
        for (const below of this.#visit(next, seen)) queue.push(below);
        yield;
      }
    }
    this.#directories = seen;
  }

  /** Marks new files of a directory and returns its subdirectories. */
  #visit({ directory, isCovered }: Visit, seen: Map<string, KnownDirectory>): Visit[] {
    const { dirty } = this.#deps;
    const stats = statIfExists(directory);
    if (!stats?.isDirectory()) return [];
    const known = this.#directories.get(directory);
    const isReplaced = known !== undefined && known.inode !== stats.ino;
    const isMarked = isCovered || isReplaced;
    if (isReplaced && !isCovered) dirty.mark(directory);
    const previous = isReplaced ? undefined : known;
    // A file that the last sync saw and skipped is not new. NaN without a completed sync: a user has to start one
    // first.
    const syncedAt =
      (this.#deps.store.syncedDirectories.lastSyncedAt(directory) ?? Number.NaN) - TIMESTAMP_TOLERANCE_MS;
    const since = previous ? Math.max(previous.seenAt - TIMESTAMP_TOLERANCE_MS, syncedAt) : syncedAt;
    const seenAt = this.#now();
    const now: KnownDirectory =
      previous?.changedAt === stats.mtimeMs
        ? { ...previous, seenAt }
        : {
            inode: stats.ino,
            changedAt: stats.mtimeMs < seenAt - TIMESTAMP_TOLERANCE_MS ? stats.mtimeMs : undefined,
            seenAt,
            directories: new Set(),
            rulesChangedAt: undefined,
          };
    seen.set(directory, now);
    const marked =
      now.directories === previous?.directories
        ? []
        : this.#list(directory, { now, previous, since, isMarked });
    if (now.rulesChangedAt !== undefined) now.rulesChangedAt = stampOf(join(directory, RULE_FILE));
    const hasOtherRules = previous
      ? now.rulesChangedAt !== previous.rulesChangedAt
      : now.rulesChangedAt !== undefined && now.rulesChangedAt >= since;
    if (hasOtherRules && !isMarked) dirty.mark(join(directory, RULE_FILE));
    const below = [...now.directories];
    return below.map((name) => ({
      directory: join(directory, name),
      isCovered: isMarked || hasOtherRules || marked.includes(name),
    }));
  }

  /** Reads a directory and returns the new subdirectories that were marked as a whole. */
  #list(
    directory: string,
    visit: { now: KnownDirectory; previous: KnownDirectory | undefined; since: number; isMarked: boolean },
  ): string[] {
    const { dirty, isIgnored } = this.#deps;
    const { now, previous, since, isMarked } = visit;
    const marked: string[] = [];
    for (const entry of entriesOf(directory)) {
      const { name } = entry;
      const path = join(directory, name);
      if (isIgnored(path)) continue;
      if (entry.isDirectory()) {
        now.directories.add(name);
        if (isMarked || !this.#isNewDirectory(path, name, previous, since)) continue;
        marked.push(name);
        dirty.mark(path);
      } else if (entry.isFile()) {
        if (name === RULE_FILE) now.rulesChangedAt = 0;
        if (!isMarked && this.#isNewFile(path, since)) dirty.mark(path);
      }
    }
    return marked;
  }

  #isNewFile(path: string, since: number): boolean {
    const stats = statIfExists(path);
    return stats !== undefined && this.#isAfter(path, stats, since) && !this.#deps.store.known(path);
  }

  /** A directory may arrive with files older than anything in the index: moved or unpacked. */
  #isNewDirectory(path: string, name: string, previous: KnownDirectory | undefined, since: number): boolean {
    if (previous) return !previous.directories.has(name) && !Number.isNaN(since);
    const stats = statIfExists(path);
    if (!stats || !this.#isAfter(path, stats, since)) return false;
    const [first] = this.#deps.store.stampsAfter(`${path}/`, 1);
    return first === undefined || !isInside(path, first.path);
  }

  #isAfter(path: string, stats: Stats, since: number): boolean {
    const at = stats.ctimeMs;
    return at >= since && at >= this.#clearedAt && !this.#deps.store.forgottenFiles.has(path, at);
  }
}

const stampOf = (path: string): number => statIfExists(path)?.ctimeMs ?? 0;

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // Missing or unreadable: its files are detected by their stamps.
    return [];
  }
}
