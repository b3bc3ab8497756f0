import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isInside } from '../../paths/real-path.ts';
import type { SyncRequest } from '../index/index-calls.ts';
import type { FileSync } from './file-sync.ts';
import { isDirectory } from './stat-if-exists.ts';

/** Debounce: how long it must be quiet before a sync, and the maximum delay. */
const QUIET_MS = 300;
const LONGEST_WAIT_MS = 2000;
/** How long a slice of work blocks the thread. */
const SLICE_MS = 20;
const SLICE_PATHS = 200;
/** Delay before a failed sync is retried, for example after a full disk. */
const RETRY_MS = 30_000;
/** By then the watcher reliably reports changes inside a new directory. */
const SETTLE_MS = 2000;

export type SyncRules = Omit<SyncRequest, 'basePath'>;
/** Schedules a callback and returns a function that cancels it. */
export type SetTimer = (callback: () => void, ms: number) => () => void;

export interface DirtyPathsDeps {
  sync: Pick<FileSync, 'syncPaths' | 'progress'>;
  /** Called after a sync with the number of files that were added, updated or removed below a root. */
  onSynced?: (root: string, files: number) => void;
  /** Called when a background sync fails. */
  onError?: (error: unknown) => void;
  setTimer?: SetTimer;
  monotonic?: () => number;
}

export const systemTimer: SetTimer = (callback, ms) => {
  const timer = setTimeout(callback, ms).unref();
  return () => clearTimeout(timer);
};

/** Paths whose index entries may be outdated. They are synced after a quiet period or before a search. */
export class DirtyPaths {
  readonly #sync: DirtyPathsDeps['sync'];
  readonly #onSynced: (root: string, files: number) => void;
  readonly #onError: (error: unknown) => void;
  readonly #setTimer: SetTimer;
  readonly #monotonic: () => number;
  readonly #paths = new Set<string>();
  /** New directories that the watcher may not report completely yet, with the end of that period. */
  readonly #newDirectories = new Map<string, number>();
  /** Roots that were missing when a path below them was dirty. */
  #gone: string[] = [];
  #rules: SyncRules | undefined;
  #cancelTimer: (() => void) | undefined;
  #firstMarkedAt: number | undefined;
  #activeSyncs = 0;

  constructor({ sync, onSynced, onError, setTimer, monotonic }: DirtyPathsDeps) {
    this.#sync = sync;
    this.#onSynced = onSynced ?? (() => undefined);
    this.#onError = onError ?? (() => undefined);
    this.#setTimer = setTimer ?? systemTimer;
    this.#monotonic = monotonic ?? (() => performance.now());
  }

  get isEmpty(): boolean {
    return this.#paths.size === 0;
  }

  get isSyncing(): boolean {
    return this.#activeSyncs > 0;
  }

  /** Sets the limits for background syncs; undefined leaves dirty paths to the next search. */
  follow(rules: SyncRules | undefined): void {
    this.#rules = rules;
    if (rules && !this.isEmpty) this.#scheduleSync(QUIET_MS);
  }

  mark(path: string): void {
    this.#paths.add(path);
    const now = this.#monotonic();
    this.#firstMarkedAt ??= now;
    this.#scheduleSync(Math.max(0, Math.min(QUIET_MS, this.#firstMarkedAt + LONGEST_WAIT_MS - now)));
  }

  /** Marks a directory in which files may appear unreported for a moment. */
  markNewDirectory(path: string): void {
    this.#newDirectories.set(path, this.#monotonic() + SETTLE_MS);
    this.mark(path);
  }

  /** Whether the path or one of its parents is dirty, or its root is missing. */
  covers(path: string): boolean {
    if (this.#gone.some((root) => isInside(root, path))) return true;
    if (this.#paths.size === 0) return false;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      if (this.#paths.has(path.slice(0, end))) return true;
    return false;
  }

  /** Drops a path without syncing it. */
  forget(path: string): void {
    this.#paths.delete(path);
  }

  clear(): void {
    this.#paths.clear();
    this.#newDirectories.clear();
    this.#firstMarkedAt = undefined;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Syncs dirty paths until the deadline and returns whether the index changed. */
  async sync(rules: SyncRules, deadline: number): Promise<boolean> {
    const now = this.#monotonic();
    for (const [directory, until] of this.#newDirectories)
      if (until > now) this.#paths.add(directory);
      else this.#newDirectories.delete(directory);
    this.#gone = this.#gone.filter((root) => !isDirectory(root));
    let changed = 0;
    let root = '';
    this.#activeSyncs++;
    try {
      while (this.#paths.size > 0 && this.#monotonic() < deadline) {
        const end = Math.min(deadline, this.#monotonic() + SLICE_MS);
        const piece = this.#syncSlice(rules, end);
        changed += piece.changed;
        root ||= piece.root;
        await yieldToEventLoop();
      }
    } finally {
      this.#activeSyncs--;
    }
    if (this.isEmpty) this.#firstMarkedAt = undefined;
    if (changed > 0) this.#onSynced(root, changed);
    return changed > 0;
  }

  /** Returns the number of changed files and one of their roots. */
  #syncSlice(rules: SyncRules, end: number): { changed: number; root: string } {
    const paths: string[] = [];
    for (const path of this.#paths) {
      if (paths.push(path) === SLICE_PATHS) break;
    }
    for (const path of paths) this.#paths.delete(path);
    const { roots, elsewhere } = rules;
    // A root that another daemon reads by now is its concern.
    const own = elsewhere ? paths.filter((path) => roots.some((root) => isInside(root, path))) : paths;
    const reachable = this.#reachable(own, roots);
    try {
      const { outcome, remaining } = this.#sync.syncPaths(reachable, rules, end);
      for (const path of remaining) this.#paths.add(path);
      const { added, updated, removed } = outcome;
      const changed = added + updated + removed;
      const isAround = (root: string) => reachable.some((path) => isInside(root, path));
      return { changed, root: (changed > 0 && rules.roots.find(isAround)) || '' };
    } catch (error) {
      for (const path of reachable) this.#paths.add(path);
      throw error;
    }
  }

  /** Leaves out paths below a missing root (an unmounted drive, for example): the index keeps its entries. */
  #reachable(paths: string[], roots: string[]): string[] {
    const gone = roots.filter((root) => !isDirectory(root));
    if (gone.length === 0) return paths;
    const there = roots.filter((root) => !gone.includes(root));
    const isReachable = (path: string) =>
      there.some((root) => isInside(root, path)) || !gone.some((root) => isInside(root, path));
    this.#gone = gone.filter((root) => paths.some((path) => isInside(root, path)));
    return paths.filter(isReachable);
  }

  #scheduleSync(ms: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#rules && this.#setTimer(() => void this.#syncNow(), ms);
  }

  async #syncNow(): Promise<void> {
    this.#cancelTimer = undefined;
    if (!this.#rules) return;
    // A running directory sync covers these paths, too; nothing is read twice.
    if (this.#sync.progress) return this.#scheduleSync(QUIET_MS);
    try {
      await this.sync(this.#rules, Infinity);
    } catch (error) {
      this.#onError(error);
      this.#scheduleSync(RETRY_MS);
    }
  }
}
