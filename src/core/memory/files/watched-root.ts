import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '../../paths/real-path.ts';
import { isFolder, lookAt } from './stat-if-exists.ts';

/** As much of chokidar as is used; its raw events come at once, the others once it has looked for itself. */
export interface Watcher {
  on(event: 'all', listener: (event: string, path: string) => void): unknown;
  on(event: 'raw', listener: (event: string, path: string | null, details: unknown) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  add(path: string): unknown;
  close(): Promise<void>;
}
/** Whether a path is left out; asked with what is there, or before anybody has looked. */
export type IsLeftOut = (path: string, stats?: Stats) => boolean;
export type OpenWatcher = (isLeftOut: IsLeftOut) => Promise<Watcher>;

/** Loads chokidar when something is watched for the first time. */
export const openChokidar: OpenWatcher = async (isLeftOut) => {
  const { FSWatcher } = await import('chokidar');
  return new FSWatcher({
    persistent: false,
    followSymlinks: false,
    ignorePermissionErrors: true,
    atomic: false,
    ignored: isLeftOut,
  });
};

export interface RootListener {
  /** A file or folder may have come, changed or gone. */
  onChange: (path: string) => void;
  onNewFolder: (path: string) => void;
  onReady: () => void;
  /** The root was gone and is there again. */
  onReturn: () => void;
  onError: (error: unknown) => void;
}

export interface WatchedRootDeps {
  root: string;
  isIgnored: (path: string) => boolean;
  open: OpenWatcher;
  listener: RootListener;
}

/** One folder that is watched with everything below: its folders, that is, which tell of their files. */
export class WatchedRoot {
  readonly #deps: WatchedRootDeps;
  /** Those that are watched. */
  readonly #folders = new Set<string>();
  #watcher: Watcher | undefined;
  #isReady = false;
  #isClosed = false;

  constructor(deps: WatchedRootDeps) {
    this.#deps = deps;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Begins; whether everything was looked at is told by the listener. */
  async open(): Promise<void> {
    const { root, open, listener } = this.#deps;
    const watcher = await open((path, stats) => this.#isLeftOut(path, stats));
    if (this.#isClosed) return watcher.close();
    this.#watcher = watcher;
    watcher.on('all', (event, path) => this.#hear(event, path));
    watcher.on('raw', (event, path, details) => this.#hearAtOnce(event, path, details));
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

  #isLeftOut(path: string, stats: Stats | undefined): boolean {
    const { root, isIgnored } = this.#deps;
    // Above a root that is not there its coming is awaited.
    if (path === root || !isInside(root, path)) return false;
    if (isIgnored(path)) return true;
    if (stats?.isDirectory()) this.#folders.add(path);
    if (stats) return !stats.isDirectory();
    if (this.#folders.has(path)) return false;
    const now = lookAt(path);
    // What is gone from a folder was a file; for each of these chokidar would read the whole folder.
    return now ? !now.isDirectory() : isFolder(dirname(path));
  }

  #hear(event: string, path: string): void {
    const { root, listener } = this.#deps;
    if (this.#isClosed || !isInside(root, path)) return;
    if (event === 'unlinkDir' && !isFolder(path)) this.#folders.delete(path);
    // What is there at the beginning is compared with the index by a round of its own.
    if (!this.#isReady) return;
    if (event !== 'addDir') listener.onChange(path);
    else if (path === root) listener.onReturn();
    else listener.onNewFolder(path);
  }

  /**
   * What the system says itself, before anybody has looked what it means: so a search that comes right after a change
   * knows of it.
   */
  #hearAtOnce(event: string, name: string | null, details: unknown): void {
    const { root, isIgnored, listener } = this.#deps;
    const folder = (details as { watchedPath?: unknown }).watchedPath;
    if (this.#isClosed || !this.#isReady || typeof folder !== 'string') return;
    const path = name === null ? folder : join(folder, name);
    if (path === root) return isFolder(root) ? listener.onReturn() : undefined;
    if (!isInside(root, path) || isIgnored(path)) return;
    if (event === 'rename' && isFolder(path)) listener.onNewFolder(path);
    else listener.onChange(path);
  }
}
