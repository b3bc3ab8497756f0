import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DirtyPaths, type SetTimer } from '../../../../src/core/memory/files/dirty-paths.ts';
import { FileScanner } from '../../../../src/core/memory/files/file-scanner.ts';
import { DirectoryWatcher } from '../../../../src/core/memory/files/directory-watcher.ts';
import { FreshSearch } from '../../../../src/core/memory/files/fresh-search.ts';
import { unindexedPaths } from '../../../../src/core/memory/files/unindexed-paths.ts';
import { openChokidar, type Watcher } from '../../../../src/core/memory/files/watched-root.ts';
import { FileIndex } from './file-index.ts';

/** Timers that a test triggers. */
export class ManualTimers {
  readonly #set: { run: () => void; ms: number }[] = [];
  #waiting: (() => void)[] = [];

  readonly set: SetTimer = (run, ms) => {
    const timer = { run, ms };
    this.#set.push(timer);
    for (const resolve of this.#waiting.splice(0)) resolve();
    return () => {
      const at = this.#set.indexOf(timer);
      if (at >= 0) this.#set.splice(at, 1);
    };
  };

  get waits(): number[] {
    return this.#set.map(({ ms }) => ms);
  }

  run(): void {
    for (const { run } of this.#set.splice(0)) run();
  }

  /** Resolves when the next timer is set. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

export const waitFor = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
};

/** A folder with its index, watched by chokidar. */
export class WatchedTree implements AsyncDisposable {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'watched-')));
  readonly root: string;
  readonly index: FileIndex;
  readonly errors: unknown[] = [];
  /** A fake clock, if set. */
  ownMs: number | undefined;
  readonly timers = new ManualTimers();
  readonly opened: Watcher[] = [];
  open = openChokidar;
  readonly dirty: DirtyPaths;
  readonly scanner: FileScanner;
  readonly watch: DirectoryWatcher;
  readonly fresh: FreshSearch;

  constructor(name = 'root') {
    this.root = join(this.base, name);
    mkdirSync(this.root);
    const protectedDirectory = this.path('data');
    this.index = new FileIndex(join(this.base, 'memory.db'), [protectedDirectory]);
    const { store, sync } = this.index;
    const monotonic = () => this.ownMs ?? performance.now();
    const onError = (error: unknown) => this.errors.push(error);
    const isIgnored = unindexedPaths([protectedDirectory]);
    this.dirty = new DirtyPaths({ sync, onError, setTimer: this.timers.set, monotonic });
    this.scanner = new FileScanner({ store, sync, dirty: this.dirty, isIgnored, monotonic });
    this.watch = new DirectoryWatcher({
      store,
      dirty: this.dirty,
      scanner: this.scanner,
      onError,
      isIgnored,
      open: async (exclusionReason) => {
        const watcher = await this.open(exclusionReason);
        this.opened.push(watcher);
        return watcher;
      },
    });
    this.index.onChange = () => this.watch.checkFileLimit();
    this.fresh = new FreshSearch({
      watcher: this.watch,
      sync,
      dirty: this.dirty,
      scanner: this.scanner,
      syncedDirectories: store.syncedDirectories,
      onError,
      monotonic,
    });
  }

  get rules() {
    return { roots: [this.root], maxFileBytes: 1e6, maxFiles: 100_000 };
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, text: string): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Syncs everything as a user would. */
  async sync(): Promise<void> {
    // File times are coarse: a file changed a moment ago is read again.
    const start = Date.now();
    await waitFor(() => Date.now() - start > 120);
    await this.index.sync.syncDirectory({ basePath: this.root, ...this.rules });
  }

  /** Removes a file from the index as a user would. */
  remove(name: string): void {
    this.scanner.recordRemoved(this.path(name));
    this.dirty.forget(this.path(name));
    this.index.store.removeFile(this.path(name));
  }

  /** Starts watching and waits for the initial scan. */
  async start(watchFiles = 100_000): Promise<void> {
    await this.watch.watch({ ...this.rules, watchFiles });
    const isScanning = () => this.watch.status().reason === 'The folders are being scanned';
    await waitFor(() => this.watch.isCurrent || (!this.watch.status().watching && !isScanning()));
  }

  /** Names of the found files, and how fresh the result is. */
  async search(word: string) {
    const { found, freshness } = await this.fresh.run(this.rules, () => this.index.search(word));
    return { names: found.paths.map((path) => path.slice(this.root.length + 1)), ...freshness };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.scanner.close();
    await this.watch.watch(undefined);
    this.index.database.close();
    rmSync(this.base, { recursive: true, force: true });
  }
}
