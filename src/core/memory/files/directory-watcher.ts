import { messageOf } from '../../errors.ts';
import type { WatchOrder, WatchStatus } from '../index/index-calls.ts';
import { type DirtyPaths, type SetTimer, systemTimer } from './dirty-paths.ts';
import type { FileRound } from './file-scanner.ts';
import type { FileStore } from './file-store.ts';
import { outermost } from './outermost.ts';
import { type OpenWatcher, openChokidar, type RootListener, WatchedRoot } from './watched-root.ts';

/** How long somebody waits for folders to be looked through; larger ones take longer, and nobody waits. */
const OPEN_MS = 1000;
/** The system forgets what nobody reads in time, and does not say so: half of what it keeps. */
const MOST_AT_ONCE = 8000;
/** The system's limits of watches, of open files and of memory for them. */
const LIMITS = ['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM'];

export interface FolderWatchDeps {
  store: Pick<FileStore, 'fileCount' | 'knownBelow'>;
  dirty: DirtyPaths;
  scanner: FileRound;
  /** Whether a file or folder of this path is never indexed, as far as its path tells. */
  isIgnored: (path: string) => boolean;
  onFault?: (error: unknown) => void;
  open?: OpenWatcher;
  setTimer?: SetTimer;
}

/** Watches folders, remembers what changed, and syncs it when it is quiet or somebody searches. */
export class FolderWatch {
  readonly #deps: FolderWatchDeps;
  readonly #roots = new Map<string, WatchedRoot>();
  #order: WatchOrder | undefined;
  #reason: string | undefined;
  /** Whether everything from before the watch was looked at, too. */
  #isRoundDone = false;
  #atOnce = 0;
  #last: Promise<void> = Promise.resolve();
  #wake: (() => void) | undefined;

  constructor(deps: FolderWatchDeps) {
    this.#deps = deps;
  }

  /** Watches these folders from now on, and nothing else; undefined watches nothing. */
  watch(order: WatchOrder | undefined): Promise<void> {
    this.#wake?.();
    const done = this.#last.then(() => this.#watch(order));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Whether all that is not in the index as it is would be among the dirty paths. */
  get isCurrent(): boolean {
    return this.#isRoundDone && this.#isReady;
  }

  /** Files came into the index, or went. */
  indexChanged(): void {
    const most = this.#order?.watchFiles ?? 0;
    if (this.#roots.size > 0 && this.#deps.store.fileCount > most) this.#fail(tooMany(most));
  }

  status(): WatchStatus {
    const { dirty, store } = this.#deps;
    const watching = this.#isReady;
    const isLooking = this.#roots.size > 0 && !watching;
    const reason = isLooking ? 'The folders are being looked through' : this.#reason;
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

  async #watch(order: WatchOrder | undefined): Promise<void> {
    const { store, dirty } = this.#deps;
    this.#order = order;
    this.#reason = undefined;
    dirty.follow(order);
    const wanted = outermost(order?.roots ?? []);
    await this.#close([...this.#roots.keys()].filter((root) => !wanted.includes(root)));
    if (!order) return dirty.clear();
    if (wanted.length === 0) {
      this.#reason = 'No folder is indexed yet';
      return;
    }
    // chokidar takes it for a slash.
    const odd = wanted.find((root) => root.includes('\\'));
    if (odd !== undefined)
      return this.#giveUp(`A folder with a backslash in its name cannot be watched: ${odd}`);
    if (store.fileCount > order.watchFiles) return this.#giveUp(tooMany(order.watchFiles));
    await this.#open(wanted.filter((root) => !this.#roots.has(root)));
  }

  async #open(added: string[]): Promise<void> {
    const { isIgnored, open = openChokidar, setTimer = systemTimer } = this.#deps;
    if (added.length > 0) this.#isRoundDone = false;
    if (this.isCurrent) return;
    const isOpen = new Promise<void>((resolve) => (this.#wake = resolve));
    const cancel = setTimer(() => this.#wake?.(), OPEN_MS);
    const opened = added.map(
      (root) => [root, new WatchedRoot({ root, isIgnored, open, listener: this.#listener(root) })] as const,
    );
    for (const [root, watched] of opened) this.#roots.set(root, watched);
    try {
      await Promise.all(opened.map(([, watched]) => watched.open()));
      await isOpen;
    } catch (error) {
      this.#deps.onFault?.(error);
      await this.#giveUp(`Watching failed: ${messageOf(error)}`);
    } finally {
      cancel();
    }
  }

  #listener(root: string): RootListener {
    const { dirty } = this.#deps;
    const isGone = () => !this.#roots.has(root);
    return {
      onChange: (path) => {
        dirty.mark(path);
        this.#count();
      },
      onNewFolder: (path) => {
        dirty.markNewFolder(path);
        this.#count();
      },
      onReady: () => {
        if (this.#isReady) this.#goRound();
      },
      onReturn: () => {
        // The round knows what is new only where something was.
        if (this.#deps.store.knownBelow(root).next().done) dirty.markNewFolder(root);
        this.#goRound();
      },
      onError: (error) => {
        const code = (error as NodeJS.ErrnoException).code ?? '';
        if (!LIMITS.includes(code)) this.#deps.onFault?.(error);
        if (!isGone())
          this.#fail(LIMITS.includes(code) ? systemLimit(code) : `Watching failed: ${messageOf(error)}`);
      },
    };
  }

  /** Finds what the watch could not tell: what changed before it began. */
  #goRound(): void {
    const { scanner: round, onFault } = this.#deps;
    this.#isRoundDone = false;
    round.scan([...this.#roots.keys()]).then(
      () => {
        this.#isRoundDone = true;
        this.#wake?.();
      },
      (error: unknown) => {
        // Searches look for themselves then.
        onFault?.(error);
        this.#wake?.();
      },
    );
  }

  /** Counts what was told in one turn of the thread. */
  #count(): void {
    if (this.#atOnce++ === 0) setImmediate(() => (this.#atOnce = 0));
    if (this.#atOnce !== MOST_AT_ONCE) return;
    const order = this.#order;
    const roots = [...this.#roots.keys()];
    this.#isRoundDone = false;
    this.#last = this.#last
      .then(() => this.#close(roots))
      .then(() => (this.#order === order ? this.#watch(order) : undefined))
      .catch((error: unknown) => this.#deps.onFault?.(error));
  }

  #fail(reason: string): void {
    this.#giveUp(reason).catch((error: unknown) => this.#deps.onFault?.(error));
  }

  async #giveUp(reason: string): Promise<void> {
    this.#reason = reason;
    await this.#close([...this.#roots.keys()]);
  }

  async #close(roots: string[]): Promise<void> {
    const closing = roots.flatMap((root) => this.#roots.get(root) ?? []);
    for (const root of roots) this.#roots.delete(root);
    if (this.#roots.size === 0) this.#wake?.();
    await Promise.all(closing.map((watched) => watched.close()));
  }
}

const tooMany = (most: number) =>
  `There are more than ${most} files. The setting memory.watchFiles allows more`;

const systemLimit = (code: string) =>
  code === 'ENOSPC'
    ? 'The system allows no more watches. Raise fs.inotify.max_user_watches'
    : `The system allows no more watches (${code})`;
