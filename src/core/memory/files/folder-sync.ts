import { setImmediate } from 'node:timers/promises';
import { isInside } from '../../paths/real-path.ts';
import type { SyncProgress } from '../../../contract/memory.ts';
import type { SyncOrder } from '../index/index-calls.ts';
import { FileIntake } from './file-intake.ts';
import type { FileStore, KnownFile } from './file-store.ts';
import type { SyncOutcome } from './file-sync.ts';
import { TreeWalk } from './walk-tree.ts';

/** How long somebody in the thread waits at most, but for a single large file and the commit. */
const SLICE_MS = 15;
/** How long it goes on where nobody waits: what is written in larger parts is written in less time. */
const ALONE_MS = 150;
/** Between two words about the progress. */
const TELL_MS = 200;

export interface FolderSyncDeps {
  store: FileStore;
  order: SyncOrder;
  protectedDirectories: string[];
  onProgress: (progress: SyncProgress) => void;
  isAwaited?: () => boolean;
  monotonic?: () => number;
  now: () => Date;
}

/** One sync of one folder: looks at everything, removes what is gone, and reads what may have changed. */
export class FolderSync {
  isCancelled = false;
  progress: SyncProgress;
  readonly #deps: FolderSyncDeps;
  /** Files to read. */
  readonly #candidates: string[] = [];
  readonly #gone: (KnownFile | undefined)[] = [];
  readonly #monotonic: () => number;
  #sliceStart: number;
  #told = -Infinity;
  constructor(deps: FolderSyncDeps) {
    this.#deps = { ...deps, order: { ...deps.order, roots: [...deps.order.roots] } };
    this.#monotonic = deps.monotonic ?? (() => performance.now());
    this.#sliceStart = this.#monotonic();
    this.progress = { basePath: deps.order.basePath, phase: 'looking', done: 0 };
  }

  async run(): Promise<SyncOutcome> {
    const { store, order, now } = this.#deps;
    const beganAt = now().getTime();
    using intake = new FileIntake({ store, order, now });
    if (!(await this.#pause())) await this.#look(intake);
    if (!this.isCancelled) await this.#remove(intake);
    if (!this.isCancelled) await this.#read(intake);
    if (!this.isCancelled) this.#complete(beganAt);
    return { ...intake.counts, cancelled: this.isCancelled };
  }

  keepOnly(folders: string[]): void {
    const { roots, basePath } = this.#deps.order;
    if (!folders.some((folder) => isInside(folder, basePath))) this.isCancelled = true;
    // The parts of the sync under way share them.
    roots.splice(
      0,
      roots.length,
      ...roots.filter((root) => folders.some((folder) => isInside(folder, root))),
    );
  }

  #complete(beganAt: number): void {
    const { store, order, now } = this.#deps;
    store.syncedFolders.keepOnly(order.roots);
    if (order.roots.some((root) => isInside(root, order.basePath)))
      store.syncedFolders.completed(order.basePath, beganAt);
    store.forgottenFiles.forget(order.basePath);
    store.setLastSyncAt(now().toISOString());
  }

  async #look(intake: FileIntake): Promise<void> {
    const { store, order, protectedDirectories } = this.#deps;
    this.#tell('looking', 0);
    const known = new Map<string, KnownFile>();
    for (const files of store.knownBelow(order.basePath)) {
      for (const [path, file] of files) known.set(path, file);
      if (await this.#pause()) return;
    }
    const walk = new TreeWalk({ ...order, protectedDirectories, skipped: intake.skipped });
    let seen = 0;
    let kept = 0;
    for (const step of walk.from(order.basePath)) {
      if (this.#isSliceOver && (await this.#pause())) return;
      if (typeof step === 'string') continue;
      this.#tell('looking', ++seen);
      const before = known.get(step.path);
      if (before && ++kept > order.maxFiles) intake.skipped.add('over the limit of files');
      else {
        known.delete(step.path);
        if (intake.isAsKnown(before, step.path, step.stats)) intake.synced++;
        else this.#candidates.push(step.path);
      }
    }
    for (const path of walk.missing(known.keys())) this.#gone.push(known.get(path));
  }

  async #remove(intake: FileIntake): Promise<void> {
    const { store, order } = this.#deps;
    for (const files of store.outside(order.roots)) this.#gone.push(...files);
    await this.#inBatches(this.#gone, (file) => intake.remove(file));
  }

  async #read(intake: FileIntake): Promise<void> {
    const total = this.#candidates.length;
    this.#tell('reading', 0, total);
    await this.#inBatches(this.#candidates, (path, done) => {
      intake.take(path);
      this.#tell('reading', done + 1, total);
    });
  }

  async #inBatches<Item>(items: Item[], work: (item: Item, at: number) => void): Promise<void> {
    const left = items.entries();
    for (let next = left.next(); !next.done && !(await this.#pause());)
      this.#deps.store.change(() => {
        do {
          const [at, item] = next.value as [number, Item];
          work(item, at);
          next = left.next();
        } while (!next.done && !this.#isSliceOver);
      });
  }

  get #isSliceOver(): boolean {
    const isAwaited = this.#deps.isAwaited?.() ?? true;
    return this.#monotonic() - this.#sliceStart > (isAwaited ? SLICE_MS : ALONE_MS);
  }

  /** Lets others in the thread through; answers whether the sync was cancelled meanwhile. */
  async #pause(): Promise<boolean> {
    await setImmediate();
    this.#sliceStart = this.#monotonic();
    return this.isCancelled;
  }

  #tell(phase: SyncProgress['phase'], done: number, total?: number): void {
    const { basePath } = this.#deps.order;
    const isNew = phase !== this.progress.phase || done === 0;
    this.progress = { basePath, phase, done, ...(total !== undefined && { total }) };
    if (!isNew && this.#monotonic() - this.#told < TELL_MS) return;
    this.#told = this.#monotonic();
    this.#deps.onProgress(this.progress);
  }
}
