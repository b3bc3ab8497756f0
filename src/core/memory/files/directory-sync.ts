import { setImmediate } from 'node:timers/promises';
import { isInside } from '../../paths/real-path.ts';
import type { SyncProgress } from '../../../contract/memory.ts';
import type { SyncRequest } from '../index/index-calls.ts';
import { FileIndexer } from './file-indexer.ts';
import type { FileStore, KnownFile } from './file-store.ts';
import type { SyncOutcome } from './sync-outcome.ts';
import { TreeWalk } from './tree-walk.ts';

/** Maximum time that other calls wait for the thread, apart from a single large file or a commit. */
const SLICE_MS = 15;
/** Used when no call is waiting: larger transactions take less time overall. */
const UNCONTENDED_SLICE_MS = 150;
/** Minimum time of reading files before it says how long the rest takes. */
const ESTIMATE_AFTER_MS = 1000;
/** Minimum time between two progress reports. */
const PROGRESS_MS = 200;

export interface DirectorySyncDeps {
  store: FileStore;
  request: SyncRequest;
  protectedDirectories: string[];
  onProgress: (progress: SyncProgress) => void;
  hasPendingCalls?: () => boolean;
  monotonic?: () => number;
  now: () => Date;
}

/** Syncs one directory: scans it, removes missing files and reads those that may have changed. */
export class DirectorySync {
  isCancelled = false;
  progress: SyncProgress;
  readonly #deps: DirectorySyncDeps;
  /** Files to read. */
  readonly #candidates: string[] = [];
  readonly #gone: (KnownFile | undefined)[] = [];
  readonly #monotonic: () => number;
  #sliceStart: number;
  #reportedAt = -Infinity;
  #phaseStart = 0;
  constructor(deps: DirectorySyncDeps) {
    this.#deps = { ...deps, request: { ...deps.request, roots: [...deps.request.roots] } };
    this.#monotonic = deps.monotonic ?? (() => performance.now());
    this.#sliceStart = this.#monotonic();
    this.progress = { basePath: deps.request.basePath, phase: 'looking', done: 0 };
  }

  async run(): Promise<SyncOutcome> {
    const { store, request, now } = this.#deps;
    const startedAt = now().getTime();
    using indexer = new FileIndexer({ store, request, now });
    if (!(await this.#pause())) await this.#scan(indexer);
    if (!this.isCancelled) await this.#remove(indexer);
    if (!this.isCancelled) await this.#read(indexer);
    if (!this.isCancelled) this.#complete(startedAt);
    return { ...indexer.counts, cancelled: this.isCancelled };
  }

  keepOnly(directories: string[]): void {
    const { roots, basePath } = this.#deps.request;
    if (!directories.some((directory) => isInside(directory, basePath))) this.isCancelled = true;
    // Parts of the running sync share this array.
    roots.splice(
      0,
      roots.length,
      ...roots.filter((root) => directories.some((directory) => isInside(directory, root))),
    );
  }

  #complete(startedAt: number): void {
    const { store, request, now } = this.#deps;
    store.syncedDirectories.keepOnly(request.roots);
    if (request.roots.some((root) => isInside(root, request.basePath)))
      store.syncedDirectories.recordCompleted(request.basePath, startedAt);
    store.forgottenFiles.clear(request.basePath);
    store.setLastSyncAt(now().toISOString());
  }

  async #scan(indexer: FileIndexer): Promise<void> {
    const { store, request, protectedDirectories } = this.#deps;
    this.#reportProgress('looking', 0);
    const known = new Map<string, KnownFile>();
    for (const files of store.knownBelow(request.basePath)) {
      for (const [path, file] of files) known.set(path, file);
      if (await this.#pause()) return;
    }
    const walk = new TreeWalk({ ...request, protectedDirectories, skipped: indexer.skipped });
    let seen = 0;
    let kept = 0;
    for (const step of walk.from(request.basePath)) {
      if (this.#isSliceOver && (await this.#pause())) return;
      if (typeof step === 'string') continue;
      this.#reportProgress('looking', ++seen);
      const before = known.get(step.path);
      if (before && ++kept > request.maxFiles) indexer.skipped.add('over the limit of files');
      else {
        known.delete(step.path);
        if (indexer.isUnchanged(before, step.path, step.stats)) indexer.synced++;
        else this.#candidates.push(step.path);
      }
    }
    for (const path of walk.missing(known.keys())) this.#gone.push(known.get(path));
  }

  async #remove(indexer: FileIndexer): Promise<void> {
    const { store, request } = this.#deps;
    for (const files of store.outside([...request.roots, ...(request.elsewhere ?? [])]))
      this.#gone.push(...files);
    await this.#inBatches(this.#gone, (file) => indexer.remove(file));
  }

  async #read(indexer: FileIndexer): Promise<void> {
    const total = this.#candidates.length;
    this.#reportProgress('reading', 0, total);
    await this.#inBatches(this.#candidates, (path, done) => {
      indexer.indexFile(path);
      this.#reportProgress('reading', done + 1, total);
    });
  }

  async #inBatches<Item>(items: Item[], work: (item: Item, at: number) => void): Promise<void> {
    const remaining = items.entries();
    for (let next = remaining.next(); !next.done && !(await this.#pause());)
      this.#deps.store.transaction(() => {
        do {
          const [at, item] = next.value as [number, Item];
          work(item, at);
          next = remaining.next();
        } while (!next.done && !this.#isSliceOver);
      });
  }

  get #isSliceOver(): boolean {
    const hasPendingCalls = this.#deps.hasPendingCalls?.() ?? true;
    return this.#monotonic() - this.#sliceStart > (hasPendingCalls ? SLICE_MS : UNCONTENDED_SLICE_MS);
  }

  /** Yields to the event loop; returns whether the sync was cancelled meanwhile. */
  async #pause(): Promise<boolean> {
    await setImmediate();
    this.#sliceStart = this.#monotonic();
    return this.isCancelled;
  }

  #reportProgress(phase: SyncProgress['phase'], done: number, total?: number): void {
    const { basePath } = this.#deps.request;
    const isNew = phase !== this.progress.phase || done === 0;
    if (isNew) this.#phaseStart = this.#monotonic();
    const elapsed = this.#monotonic() - this.#phaseStart;
    this.progress = {
      basePath,
      phase,
      done,
      ...(total !== undefined && { total }),
      ...(total !== undefined &&
        done > 0 &&
        elapsed >= ESTIMATE_AFTER_MS && { remainingMs: Math.round((elapsed / done) * (total - done)) }),
    };
    if (!isNew && this.#monotonic() - this.#reportedAt < PROGRESS_MS) return;
    this.#reportedAt = this.#monotonic();
    this.#deps.onProgress(this.progress);
  }
}
