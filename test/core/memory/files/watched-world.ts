import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DirtyPaths, type SetTimer } from '../../../../src/core/memory/files/dirty-paths.ts';
import { FileRound } from '../../../../src/core/memory/files/file-round.ts';
import { FolderWatch } from '../../../../src/core/memory/files/folder-watch.ts';
import { FreshSearch } from '../../../../src/core/memory/files/fresh-search.ts';
import { isIgnoreFile, unindexedPaths } from '../../../../src/core/memory/files/unindexed-paths.ts';
import { openChokidar, type Watcher } from '../../../../src/core/memory/files/watched-root.ts';
import { SmallIndex } from './small-index.ts';

/** Timers that run when a test says so. */
export class HandTimers {
  readonly #set: { run: () => void; ms: number }[] = [];
  #told: (() => void)[] = [];

  readonly set: SetTimer = (run, ms) => {
    const timer = { run, ms };
    this.#set.push(timer);
    for (const tell of this.#told.splice(0)) tell();
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

  /** Resolves when the next one is set. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#told.push(resolve));
  }
}

export const waitFor = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
};

/** A folder with an index of it, watched by chokidar. */
export class WatchedWorld implements AsyncDisposable {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'watched-')));
  readonly root: string;
  readonly index = new SmallIndex();
  readonly faults: unknown[] = [];
  readonly timers = new HandTimers();
  readonly opened: Watcher[] = [];
  open = openChokidar;
  readonly dirty: DirtyPaths;
  readonly round: FileRound;
  readonly watch: FolderWatch;
  readonly fresh: FreshSearch;

  constructor(name = 'root') {
    this.root = join(this.base, name);
    mkdirSync(this.root);
    const { index } = this;
    const onFault = (error: unknown) => this.faults.push(error);
    const rules = { isIgnored: unindexedPaths([join(this.root, 'data')]), isIgnoreFile };
    this.dirty = new DirtyPaths({ sync: index, onFault, setTimer: this.timers.set });
    this.round = new FileRound({ store: index, sync: index, dirty: this.dirty, ...rules });
    this.watch = new FolderWatch({
      store: index,
      dirty: this.dirty,
      round: this.round,
      onFault,
      ...rules,
      open: async (isIgnored) => {
        const watcher = await this.open(isIgnored);
        this.opened.push(watcher);
        return watcher;
      },
    });
    this.fresh = new FreshSearch({
      watch: this.watch,
      sync: index,
      dirty: this.dirty,
      round: this.round,
      onFault,
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

  /** Syncs all, as somebody would by hand. */
  sync(): void {
    this.round.syncBegins(this.root);
    this.index.syncFolder(this.root);
  }

  /** Begins to watch, once everything from before was looked at. */
  async start(watchFiles = 100_000): Promise<void> {
    await this.watch.watch({ ...this.rules, watchFiles });
    await waitFor(() => this.watch.isCurrent || !this.watch.status().watching);
  }

  /** The names of the files that a search finds, and how fresh that is. */
  async search(word: string) {
    const { found, freshness } = await this.fresh.run(this.rules, () => this.index.search(word));
    return { names: found.paths.map((path) => path.slice(this.root.length + 1)), ...freshness };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.round.close();
    await this.watch.watch(undefined);
    rmSync(this.base, { recursive: true, force: true });
  }
}
