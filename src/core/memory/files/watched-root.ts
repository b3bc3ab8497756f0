import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '../../paths/real-path.ts';
import { isDirectory, statIfExists } from './stat-if-exists.ts';

/** The part of chokidar that is used. Its raw events come at once, the others after it inspected the file. */
export interface Watcher {
  on(event: 'all', listener: (event: string, path: string) => void): unknown;
  on(event: 'raw', listener: (event: string, path: string | null, details: unknown) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  add(path: string): unknown;
  close(): Promise<void>;
}
/** Whether a path is excluded; called with stats, or before they are known. */
export type IsExcluded = (path: string, stats?: Stats) => boolean;
export type OpenWatcher = (isExcluded: IsExcluded) => Promise<Watcher>;

/** Loads chokidar on first use. */
export const openChokidar: OpenWatcher = async (isExcluded) => {
  const { FSWatcher } = await import('chokidar');
  return new FSWatcher({
    persistent: false,
    followSymlinks: false,
    ignorePermissionErrors: true,
    atomic: false,
    ignored: isExcluded,
  });
};

export interface RootListener {
  /** A file or directory may have been added, changed or removed. */
  onChange: (path: string) => void;
  onNewDirectory: (path: string) => void;
  onReady: () => void;
  /** The root was missing and exists again. */
  onRestored: () => void;
  onError: (error: unknown) => void;
}

export interface WatchedRootDeps {
  root: string;
  isIgnored: (path: string) => boolean;
  open: OpenWatcher;
  listener: RootListener;
}

/** Watches one root recursively. Only its directories are watched; they report their files. */
export class WatchedRoot {
  readonly #deps: WatchedRootDeps;
  /** The watched directories. */
  readonly #directories = new Set<string>();
  #watcher: Watcher | undefined;
  #isReady = false;
  #isClosed = false;

  constructor(deps: WatchedRootDeps) {
    this.#deps = deps;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Starts watching; the listener is notified once the initial scan is done. */
  async open(): Promise<void> {
    const { root, open, listener } = this.#deps;
    const watcher = await open((path, stats) => this.#isExcluded(path, stats));
    if (this.#isClosed) return watcher.close();
    this.#watcher = watcher;
    watcher.on('all', (event, path) => this.#handleEvent(event, path));
    watcher.on('raw', (event, path, details) => this.#handleRawEvent(event, path, details));
    watcher.on('error', (error) => this.#isClosed || listener.onError(error));
    watcher.on('ready', () => {
      if (this.#isClosed) return;
      this.#isReady = true;
      listener.onReady();
    });
    watcher.add(root);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#watcher?.close();
  }

  #isExcluded(path: string, stats: Stats | undefined): boolean {
    const { root, isIgnored } = this.#deps;
    // A missing root is awaited from its parent.
    if (path === root || !isInside(root, path)) return false;
    if (isIgnored(path)) return true;
    if (stats?.isDirectory()) this.#directories.add(path);
    if (stats) return !stats.isDirectory();
    if (this.#directories.has(path)) return false;
    const now = statIfExists(path);
    // A missing entry of an existing directory was a file; chokidar would read the whole directory for each one.
    return now ? !now.isDirectory() : isDirectory(dirname(path));
  }

  #handleEvent(event: string, path: string): void {
    const { root, listener } = this.#deps;
    if (this.#isClosed || !isInside(root, path)) return;
    if (event === 'unlinkDir' && !isDirectory(path)) this.#directories.delete(path);
    // The initial content is compared with the index by a separate scan.
    if (!this.#isReady) return;
    if (event !== 'addDir') listener.onChange(path);
    else if (path === root) listener.onRestored();
    else listener.onNewDirectory(path);
  }

  /** Handles raw events at once, so that a search right after a change knows about it. */
  #handleRawEvent(event: string, name: string | null, details: unknown): void {
    const { root, isIgnored, listener } = this.#deps;
    const directory = (details as { watchedPath?: unknown }).watchedPath;
    if (this.#isClosed || !this.#isReady || typeof directory !== 'string') return;
    const path = name === null ? directory : join(directory, name);
    if (path === root) return isDirectory(root) ? listener.onRestored() : undefined;
    if (!isInside(root, path) || isIgnored(path)) return;
    if (event === 'rename' && isDirectory(path)) listener.onNewDirectory(path);
    else listener.onChange(path);
  }
}
