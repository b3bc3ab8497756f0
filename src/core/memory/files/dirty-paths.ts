import { setImmediate as nextTurn } from 'node:timers/promises';
import { isInside } from '../../paths/real-path.ts';
import type { SyncOrder } from '../index/index-calls.ts';
import type { FileSync } from './file-sync.ts';
import { isFolder } from './stat-if-exists.ts';

/** Changes often come together: how long it has to be quiet before they are synced, and how long that is awaited. */
const QUIET_MS = 300;
const LONGEST_WAIT_MS = 2000;
/** How long the thread works before others get their turn. */
const PIECE_MS = 20;
const PIECE_PATHS = 200;
/** A failed sync, of a full disk say, is tried again after this. */
const RETRY_MS = 30_000;
/** By then the watcher has taken up a new folder and tells what happens inside. */
const SETTLE_MS = 2000;

export type Rules = Omit<SyncOrder, 'basePath'>;
/** Runs something later, and answers how to call that off. */
export type SetTimer = (run: () => void, ms: number) => () => void;

export interface DirtyPathsDeps {
  sync: Pick<FileSync, 'syncPaths' | 'progress'>;
  /** Told how many files of a root came, changed or went by a sync. */
  onSynced?: (root: string, files: number) => void;
  /** Told when a sync failed that nobody waits for. */
  onFault?: (error: unknown) => void;
  setTimer?: SetTimer;
  monotonic?: () => number;
}

export const systemTimer: SetTimer = (run, ms) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};

/** Files and folders that may not be in the index as they are. They are synced when it is quiet, or somebody searches. */
export class DirtyPaths {
  readonly #sync: DirtyPathsDeps['sync'];
  readonly #onSynced: (root: string, files: number) => void;
  readonly #onFault: (error: unknown) => void;
  readonly #setTimer: SetTimer;
  readonly #monotonic: () => number;
  readonly #paths = new Set<string>();
  /** Folders of which the watcher may not tell everything yet, and until when. */
  readonly #newFolders = new Map<string, number>();
  /** Roots that were not there when something below was dirty. */
  #gone: string[] = [];
  #rules: Rules | undefined;
  #cancelTimer: (() => void) | undefined;
  #firstAt: number | undefined;
  #working = 0;

  constructor({ sync, onSynced, onFault, setTimer, monotonic }: DirtyPathsDeps) {
    this.#sync = sync;
    this.#onSynced = onSynced ?? (() => undefined);
    this.#onFault = onFault ?? (() => undefined);
    this.#setTimer = setTimer ?? systemTimer;
    this.#monotonic = monotonic ?? (() => performance.now());
  }

  get isEmpty(): boolean {
    return this.#paths.size === 0;
  }

  get isSyncing(): boolean {
    return this.#working > 0;
  }

  /** What is marked from now on is synced by these rules; undefined leaves it until somebody searches. */
  follow(rules: Rules | undefined): void {
    this.#rules = rules;
    if (rules && !this.isEmpty) this.#syncLater(QUIET_MS);
  }

  mark(path: string): void {
    this.#paths.add(path);
    const now = this.#monotonic();
    this.#firstAt ??= now;
    this.#syncLater(Math.max(0, Math.min(QUIET_MS, this.#firstAt + LONGEST_WAIT_MS - now)));
  }

  /** Marks a folder whose files may come unannounced for a moment still. */
  markNewFolder(path: string): void {
    this.#newFolders.set(path, this.#monotonic() + SETTLE_MS);
    this.mark(path);
  }

  /** Whether a file is dirty, by itself or with its folder, or its root is not there. */
  covers(path: string): boolean {
    if (this.#gone.some((root) => isInside(root, path))) return true;
    if (this.#paths.size === 0) return false;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
      if (this.#paths.has(path.slice(0, end))) return true;
    return false;
  }

  /** Leaves a file as the index has it, or has it not. */
  forget(path: string): void {
    this.#paths.delete(path);
  }

  clear(): void {
    this.#paths.clear();
    this.#newFolders.clear();
    this.#firstAt = undefined;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Syncs what is dirty until the deadline, and answers whether that changed the index. */
  async sync(rules: Rules, deadline: number): Promise<boolean> {
    const now = this.#monotonic();
    for (const [folder, until] of this.#newFolders)
      if (until > now) this.#paths.add(folder);
      else this.#newFolders.delete(folder);
    this.#gone = this.#gone.filter((root) => !isFolder(root));
    let changed = 0;
    let root = '';
    this.#working++;
    try {
      while (this.#paths.size > 0 && this.#monotonic() < deadline) {
        const end = Math.min(deadline, this.#monotonic() + PIECE_MS);
        const piece = this.#syncPiece(rules, end);
        changed += piece.changed;
        root ||= piece.root;
        await nextTurn();
      }
    } finally {
      this.#working--;
    }
    if (this.isEmpty) this.#firstAt = undefined;
    if (changed > 0) this.#onSynced(root, changed);
    return changed > 0;
  }

  /** Answers how many files changed in the index, and a root that they are of. */
  #syncPiece(rules: Rules, end: number): { changed: number; root: string } {
    const paths: string[] = [];
    for (const path of this.#paths) {
      if (paths.push(path) === PIECE_PATHS) break;
    }
    for (const path of paths) this.#paths.delete(path);
    const reachable = this.#reachable(paths, rules.roots);
    try {
      const { outcome, left } = this.#sync.syncPaths(reachable, rules, end);
      for (const path of left) this.#paths.add(path);
      const { added, updated, removed } = outcome;
      const changed = added + updated + removed;
      const isAround = (root: string) => reachable.some((path) => isInside(root, path));
      return { changed, root: (changed > 0 && rules.roots.find(isAround)) || '' };
    } catch (error) {
      for (const path of reachable) this.#paths.add(path);
      throw error;
    }
  }

  /** Of a root that is not there now, a drive that is not mounted say, the index keeps what it has. */
  #reachable(paths: string[], roots: string[]): string[] {
    const gone = roots.filter((root) => !isFolder(root));
    if (gone.length === 0) return paths;
    const there = roots.filter((root) => !gone.includes(root));
    const isReachable = (path: string) =>
      there.some((root) => isInside(root, path)) || !gone.some((root) => isInside(root, path));
    this.#gone = gone.filter((root) => paths.some((path) => isInside(root, path)));
    return paths.filter(isReachable);
  }

  #syncLater(ms: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#rules && this.#setTimer(() => void this.#syncNow(), ms);
  }

  async #syncNow(): Promise<void> {
    this.#cancelTimer = undefined;
    if (!this.#rules) return;
    // A sync of a folder comes past these, too; nothing is read twice.
    if (this.#sync.progress) return this.#syncLater(QUIET_MS);
    try {
      await this.sync(this.#rules, Infinity);
    } catch (error) {
      this.#onFault(error);
      this.#syncLater(RETRY_MS);
    }
  }
}
