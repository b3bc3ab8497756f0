import type { SyncProgress, SyncResult } from '../../../contract/memory.ts';
import type { SyncOrder } from '../index/index-calls.ts';
import type { FileStore } from './file-store.ts';

export interface FileSyncParts {
  store: FileStore;
  /** Real places of folders of which nothing is indexed. */
  protectedFolders: string[];
  onProgress: (progress: SyncProgress) => void;
  now: () => Date;
}

export type SyncOutcome = Omit<SyncResult, 'durationMs'>;

/** Brings the index up to date with folders, one sync at a time, with pauses in which searches get through. */
export class FileSync {
  readonly #parts: FileSyncParts;
  constructor(parts: FileSyncParts) {
    this.#parts = parts;
  }

  /** The sync under way. */
  get progress(): SyncProgress | undefined {
    return undefined;
  }

  async syncFolder(_order: SyncOrder): Promise<SyncOutcome> {
    throw new Error(`to be done ${String(this.#parts)}`);
  }

  /** Answers whether there was a sync to stop. */
  cancel(): boolean {
    return false;
  }

  /**
   * Syncs single files or folders that may have come, changed or gone, by the same rules; what is not done by the
   * deadline (of `performance.now()`) is answered.
   */
  syncPaths(
    _paths: string[],
    _order: Omit<SyncOrder, 'basePath'>,
    _deadline: number,
  ): { outcome: SyncOutcome; left: string[] } {
    throw new Error('to be done');
  }

  /** Those of the indexed files that are not as they were when they were read, as far as can be seen by the deadline. */
  changedFiles(_paths: string[] | 'all', _deadline: number): { changed: string[]; isComplete: boolean } {
    return { changed: [], isComplete: true };
  }
}
