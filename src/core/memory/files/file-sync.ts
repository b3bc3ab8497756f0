import { lstatSync } from 'node:fs';
import type { SyncProgress, SyncResult } from '../../../contract/memory.ts';
import { AppError } from '../../errors.ts';
import { codeOf } from '../../paths/file-errors.ts';
import type { SyncOrder } from '../index/index-calls.ts';
import { changedFiles } from './changed-files.ts';
import type { FileStore } from './file-store.ts';
import { FolderSync } from './folder-sync.ts';
import { syncPaths } from './path-sync.ts';

export interface FileSyncDeps {
  store: FileStore;
  /** Real places of folders of which nothing is indexed. */
  protectedDirectories: string[];
  onProgress: (progress: SyncProgress) => void;
  /** Whether somebody waits for something else in the thread, who is let through soon; as if always, unless given. */
  isAwaited?: () => boolean;
  /** For tests. */
  monotonic?: () => number;
  now: () => Date;
}

export type SyncOutcome = Omit<SyncResult, 'durationMs'>;

interface Waiting {
  order: string;
  sync: FolderSync;
  outcome: Promise<SyncOutcome>;
}

/** Brings the index up to date with folders, one sync at a time, with pauses in which searches get through. */
export class FileSync {
  readonly #deps: FileSyncDeps;
  /** The first one is under way. */
  #line: Waiting[] = [];
  constructor(deps: FileSyncDeps) {
    this.#deps = deps;
  }

  /** The sync under way. */
  get progress(): SyncProgress | undefined {
    return this.#line[0]?.sync.progress;
  }

  /** Whoever asks for what already waits in line shares its outcome. */
  syncFolder(order: SyncOrder): Promise<SyncOutcome> {
    const key = JSON.stringify(order);
    const waiting = this.#line.slice(1).find((other) => other.order === key && !other.sync.isCancelled);
    if (waiting) return waiting.outcome;
    const sync = new FolderSync({ ...this.#deps, order });
    const before = this.#line.at(-1)?.outcome.catch(() => undefined) ?? Promise.resolve();
    const outcome = before.then(() => this.#run(sync, order));
    this.#line.push({ order: key, sync, outcome });
    return outcome;
  }

  /** Ends the sync under way, and those in line before they begin; answers whether there was one. */
  cancel(): boolean {
    for (const { sync } of this.#line) sync.isCancelled = true;
    return this.#line.length > 0;
  }

  /** Only what is at or below these folders is synced any more, also by what is under way. */
  keepOnly(folders: string[]): void {
    for (const { sync } of this.#line) sync.keepOnly(folders);
  }

  /**
   * Syncs single files or folders that may have come, changed or gone, by the same rules; what is not done by the
   * deadline (of `performance.now()`) is answered.
   */
  syncPaths(
    paths: string[],
    order: Omit<SyncOrder, 'basePath'>,
    deadline: number,
  ): { outcome: SyncOutcome; left: string[] } {
    return syncPaths(paths, { ...this.#deps, order, deadline });
  }

  /** Those of the indexed files that are not as they were when they were read, as far as can be seen by the deadline. */
  changedFiles(paths: string[] | 'all', deadline: number): { changed: string[]; isComplete: boolean } {
    return changedFiles(this.#deps.store, paths, deadline);
  }

  async #run(sync: FolderSync, { basePath }: SyncOrder): Promise<SyncOutcome> {
    try {
      if (!sync.isCancelled) requireFolder(basePath);
      return await sync.run();
    } finally {
      this.#line.shift();
      this.#deps.onProgress({ ...sync.progress, phase: 'done' });
    }
  }
}

/** A folder that is gone is not synced to nothing: its disk may come back. */
function requireFolder(path: string): void {
  let isFolder = false;
  try {
    isFolder = lstatSync(path).isDirectory();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
  }
  if (!isFolder) throw new AppError('validation', `There is no folder ${path}`);
}
