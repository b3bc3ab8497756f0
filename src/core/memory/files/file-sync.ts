import { lstatSync } from 'node:fs';
import type { SyncProgress } from '../../../contract/memory.ts';
import { AppError } from '../../errors.ts';
import { codeOf } from '../../paths/file-errors.ts';
import type { SyncRequest } from '../index/index-calls.ts';
import { changedFiles } from './changed-files.ts';
import type { FileStore } from './file-store.ts';
import { DirectorySync } from './directory-sync.ts';
import { syncPaths } from './path-sync.ts';
import type { SyncOutcome } from './sync-outcome.ts';

export interface FileSyncDeps {
  store: FileStore;
  /** Real paths of directories that are never indexed. */
  protectedDirectories: string[];
  onProgress: (progress: SyncProgress) => void;
  /** Whether other calls wait for the thread, which then yields sooner; always assumed by default. */
  hasPendingCalls?: () => boolean;
  /** For tests. */
  monotonic?: () => number;
  now: () => Date;
}

interface QueuedSync {
  request: string;
  sync: DirectorySync;
  outcome: Promise<SyncOutcome>;
}

/** Syncs directories with the index, one at a time, while searches get through. */
export class FileSync {
  readonly #deps: FileSyncDeps;
  /** The first one is running. */
  #queue: QueuedSync[] = [];
  constructor(deps: FileSyncDeps) {
    this.#deps = deps;
  }

  /** The progress of the running sync. */
  get progress(): SyncProgress | undefined {
    return this.#queue[0]?.sync.progress;
  }

  /** An identical request that is already queued is shared. */
  syncDirectory(request: SyncRequest): Promise<SyncOutcome> {
    const key = JSON.stringify(request);
    const waiting = this.#queue.slice(1).find((other) => other.request === key && !other.sync.isCancelled);
    if (waiting) return waiting.outcome;
    const sync = new DirectorySync({ ...this.#deps, request });
    const before = this.#queue.at(-1)?.outcome.catch(() => undefined) ?? Promise.resolve();
    const outcome = before.then(() => this.#execute(sync, request));
    this.#queue.push({ request: key, sync, outcome });
    return outcome;
  }

  /** Cancels the running and all queued syncs; returns whether there was one. */
  cancel(): boolean {
    for (const { sync } of this.#queue) sync.isCancelled = true;
    return this.#queue.length > 0;
  }

  /** Restricts running and queued syncs to these directories. */
  keepOnly(directories: string[]): void {
    for (const { sync } of this.#queue) sync.keepOnly(directories);
  }

  /** Syncs single paths that may have changed. Returns those left at the deadline (in time of `performance.now()`). */
  syncPaths(
    paths: string[],
    request: Omit<SyncRequest, 'basePath'>,
    deadline: number,
  ): { outcome: SyncOutcome; remaining: string[] } {
    return syncPaths(paths, { ...this.#deps, request, deadline });
  }

  /** Lists the indexed files that changed since they were read, as far as the deadline allows. */
  changedFiles(paths: string[] | 'all', deadline: number): { changed: string[]; isComplete: boolean } {
    return changedFiles(this.#deps.store, paths, deadline);
  }

  async #execute(sync: DirectorySync, { basePath }: SyncRequest): Promise<SyncOutcome> {
    try {
      if (!sync.isCancelled) requireDirectory(basePath);
      return await sync.run();
    } finally {
      this.#queue.shift();
      this.#deps.onProgress({ ...sync.progress, phase: 'done' });
    }
  }
}

/** A missing directory must not empty the index: its disk may be mounted again. */
function requireDirectory(path: string): void {
  let isDirectory = false;
  try {
    isDirectory = lstatSync(path).isDirectory();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
  }
  if (!isDirectory) throw new AppError('validation', `There is no folder ${path}`);
}
