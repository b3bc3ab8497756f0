import { messageOf } from '../../errors.ts';
import type { WatchRequest, WatchStatus } from '../index/index-calls.ts';
import { type DirtyPaths, type SetTimer, systemTimer } from './dirty-paths.ts';
import type { FileScanner } from './file-scanner.ts';
import type { FileStore } from './file-store.ts';
import { outermost } from './outermost.ts';
import { type OpenWatcher, openChokidar, type RootListener, WatchedRoot } from './watched-root.ts';

/** How long a call waits for the initial scan; larger directories continue in the background. */
const OPEN_MS = 1000;
/** The kernel drops unread events without notice above its queue size; this is half of it. */
const MAX_BURST = 8000;
/** Error codes for exhausted watches, file descriptors or memory. */
const LIMITS = ['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM'];

export interface DirectoryWatcherDeps {
  store: Pick<FileStore, 'fileCount' | 'knownBelow'>;
  dirty: DirtyPaths;
  scanner: FileScanner;
  /** Whether the path alone rules out that it is ever indexed. */
  isIgnored: (path: string) => boolean;
  onError?: (error: unknown) => void;
  open?: OpenWatcher;
  setTimer?: SetTimer;
}

/** Watches directories and marks changed paths as dirty. */
export class DirectoryWatcher {
  readonly #deps: DirectoryWatcherDeps;
  readonly #roots = new Map<string, WatchedRoot>();
  #request: WatchRequest | undefined;
  #reason: string | undefined;
  /** Whether changes from before the watch started have been found, too. */
  #isScanDone = false;
  #burstSize = 0;
  #lastChange: Promise<void> = Promise.resolve();
  #stopWaiting: (() => void) | undefined;

  constructor(deps: DirectoryWatcherDeps) {
    this.#deps = deps;
  }

  /** Watches exactly these directories from now on; undefined stops watching. */
  watch(request: WatchRequest | undefined): Promise<void> {
    this.#stopWaiting?.();
    const done = this.#lastChange.then(() => this.#apply(request));
    this.#lastChange = done.catch(() => undefined);
    return done;
  }

  /** Whether every outdated path is known to be dirty. */
  get isCurrent(): boolean {
    return this.#isScanDone && this.#isReady;
  }

  /** Stops watching when the index has grown beyond the limit of watched files. */
  checkFileLimit(): void {
    const most = this.#request?.watchFiles ?? 0;
    if (this.#roots.size > 0 && this.#deps.store.fileCount > most) this.#stopInBackground(tooMany(most));
  }

  status(): WatchStatus {
    const { dirty, store } = this.#deps;
    const watching = this.#isReady;
    const isScanning = this.#roots.size > 0 && !watching;
    const reason = isScanning ? 'The folders are being scanned' : this.#reason;
    return {
      watching,
      ...(reason !== undefined && { reason }),
      dirty: !dirty.isEmpty,
      syncing: dirty.isSyncing,
      watchedFiles: watching ? store.fileCount : 0,
    };
  }

  get #isReady(): boolean {
    return this.#roots.size > 0 && [...this.#roots.values()].every(({ isReady }) => isReady);
  }

  async #apply(request: WatchRequest | undefined): Promise<void> {
    const { store, dirty } = this.#deps;
    this.#request = request;
    this.#reason = undefined;
    dirty.follow(request);
    const requested = outermost(request?.roots ?? []);
    await this.#close([...this.#roots.keys()].filter((root) => !requested.includes(root)));
    if (!request) return dirty.clear();
    if (requested.length === 0) {
      this.#reason = 'No folder is indexed yet';
      return;
    }
    // chokidar treats a backslash as a slash.
    const unsupported = requested.find((root) => root.includes('\\'));
    if (unsupported !== undefined)
      return this.#stopWatching(`A folder with a backslash in its name cannot be watched: ${unsupported}`);
    if (store.fileCount > request.watchFiles) return this.#stopWatching(tooMany(request.watchFiles));
    await this.#open(requested.filter((root) => !this.#roots.has(root)));
  }

  async #open(added: string[]): Promise<void> {
    const { isIgnored, open = openChokidar, setTimer = systemTimer } = this.#deps;
    if (added.length > 0) this.#isScanDone = false;
    if (this.isCurrent) return;
    const isOpen = new Promise<void>((resolve) => (this.#stopWaiting = resolve));
    const cancel = setTimer(() => this.#stopWaiting?.(), OPEN_MS);
    const opened = added.map(
      (root) => [root, new WatchedRoot({ root, isIgnored, open, listener: this.#listener(root) })] as const,
    );
    for (const [root, watched] of opened) this.#roots.set(root, watched);
    try {
      await Promise.all(opened.map(([, watched]) => watched.open()));
      await isOpen;
    } catch (error) {
      this.#deps.onError?.(error);
      await this.#stopWatching(`Watching failed: ${messageOf(error)}`);
    } finally {
      cancel();
    }
  }

  #listener(root: string): RootListener {
    const { dirty } = this.#deps;
    const isRemoved = () => !this.#roots.has(root);
    return {
      onChange: (path) => {
        dirty.mark(path);
        this.#countEvent();
      },
      onNewDirectory: (path) => {
        dirty.markNewDirectory(path);
        this.#countEvent();
      },
      onReady: () => {
        if (this.#isReady) this.#scan();
      },
      onRestored: () => {
        // The scan only detects new files where something was indexed before.
        if (this.#deps.store.knownBelow(root).next().done) dirty.markNewDirectory(root);
        this.#scan();
      },
      onError: (error) => {
        const code = (error as NodeJS.ErrnoException).code ?? '';
        if (!LIMITS.includes(code)) this.#deps.onError?.(error);
        if (!isRemoved())
          this.#stopInBackground(
            LIMITS.includes(code) ? systemLimit(code) : `Watching failed: ${messageOf(error)}`,
          );
      },
    };
  }

  /** Finds changes from before the watch started. */
  #scan(): void {
    const { scanner: round, onError } = this.#deps;
    this.#isScanDone = false;
    round.scan([...this.#roots.keys()]).then(
      () => {
        this.#isScanDone = true;
        this.#stopWaiting?.();
      },
      (error: unknown) => {
        // Searches then check files themselves.
        onError?.(error);
        this.#stopWaiting?.();
      },
    );
  }

  /** Counts the events of one event-loop turn and restarts the watch when some may have been dropped. */
  #countEvent(): void {
    if (this.#burstSize++ === 0) setImmediate(() => (this.#burstSize = 0));
    if (this.#burstSize !== MAX_BURST) return;
    const request = this.#request;
    const roots = [...this.#roots.keys()];
    this.#isScanDone = false;
    this.#lastChange = this.#lastChange
      .then(() => this.#close(roots))
      .then(() => (this.#request === request ? this.#apply(request) : undefined))
      .catch((error: unknown) => this.#deps.onError?.(error));
  }

  #stopInBackground(reason: string): void {
    this.#stopWatching(reason).catch((error: unknown) => this.#deps.onError?.(error));
  }

  async #stopWatching(reason: string): Promise<void> {
    this.#reason = reason;
    await this.#close([...this.#roots.keys()]);
  }

  async #close(roots: string[]): Promise<void> {
    const closing = roots.flatMap((root) => this.#roots.get(root) ?? []);
    for (const root of roots) this.#roots.delete(root);
    if (this.#roots.size === 0) this.#stopWaiting?.();
    await Promise.all(closing.map((watched) => watched.close()));
  }
}

const tooMany = (most: number) => `There are more than ${most} files. Raise the setting memory.watchFiles`;

const systemLimit = (code: string) =>
  code === 'ENOSPC'
    ? 'The system allows no more watches. Raise fs.inotify.max_user_watches'
    : `The system allows no more watches (${code})`;
