import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DirtyPaths, type Rules, type SetTimer, systemTimer } from './dirty-paths.ts';
import type { FileRound } from './file-scanner.ts';
import type { FileSync } from './file-sync.ts';
import type { FolderWatch } from './directory-watcher.ts';
import type { SyncedFolders } from './synced-directories.ts';

/** How long a search waits for files that changed. */
export const FRESH_MS = 200;
/** The rest is for what was found: it is looked at again after the search. */
const CATCH_UP_MS = 150;
/** Where a round takes longer than this no search waits for one; it goes on beside them, at most this often. */
const LONGEST_ROUND_MS = 100;
const ROUND_EVERY_MS = 2000;
/** Even with no time left a search looks at the files that it found. */
const LOOK_MS = 20;
/** A second search can find others that changed. */
const MOST_SEARCHES = 3;

export interface Freshness {
  /** Files were synced that had changed. */
  autoSynced: boolean;
  /** Files may have changed that the index does not know. */
  stale: boolean;
  /** Those that are known to have changed. */
  stalePaths: Set<string>;
}

export interface FreshSearchDeps {
  watcher: Pick<FolderWatch, 'isCurrent'>;
  sync: Pick<FileSync, 'changedFiles' | 'progress'>;
  dirty: DirtyPaths;
  scanner: FileRound;
  syncedFolders: Pick<SyncedFolders, 'at'>;
  onFault?: (error: unknown) => void;
  setTimer?: SetTimer;
  monotonic?: () => number;
}

/**
 * Lets a search see files as they are now, as far as that is possible within 200 ms. An answer is said not to be stale
 * only where everything was looked at after the search came: by the watcher, which the system tells of a change at once,
 * or by a round over all files. What a round found a moment ago is no proof, as somebody may have saved a file since. Nor
 * is it told of a folder whose first sync did not come to its end.
 */
export class FreshSearch {
  readonly #deps: FreshSearchDeps;
  readonly #monotonic: () => number;
  constructor(deps: FreshSearchDeps) {
    this.#deps = deps;
    this.#monotonic = deps.monotonic ?? (() => performance.now());
  }

  /** Runs `search`, which answers the paths that it found, once more where what it found had changed. */
  async run<Found extends { paths: string[] }>(
    rules: Rules,
    search: () => Found,
  ): Promise<{ found: Found; freshness: Freshness }> {
    const { dirty, sync, syncedFolders } = this.#deps;
    const start = this.#monotonic();
    const isLooked = await this.#look(rules.roots, start + CATCH_UP_MS);
    let autoSynced = await this.#sync(rules, start + CATCH_UP_MS);
    let found = search();
    const looked = new Set<string>();
    for (let searches = 1; ; searches++) {
      this.#lookAt(found.paths, looked);
      if (dirty.isEmpty || searches === MOST_SEARCHES) break;
      if (!(await this.#sync(rules, start + FRESH_MS))) break;
      autoSynced = true;
      found = search();
    }
    const stalePaths = new Set(found.paths.filter((path) => dirty.covers(path) || !looked.has(path)));
    const isWhole = rules.roots.every((root) => syncedFolders.lastSyncedAt(root) !== undefined);
    const isCurrent = isLooked && dirty.isEmpty && sync.progress === undefined && stalePaths.size === 0;
    const stale = !isCurrent || !isWhole;
    return { found, freshness: { autoSynced, stale, stalePaths } };
  }

  /** Has what changed marked dirty, and answers whether that is all. */
  async #look(roots: string[], deadline: number): Promise<boolean> {
    const { watcher: watch } = this.#deps;
    if (watch.isCurrent) {
      // What the system told up to now is read within one whole turn; the first may be a half one.
      await nextTurn();
      await nextTurn();
      if (watch.isCurrent) return true;
    }
    const { scanner: round, setTimer = systemTimer } = this.#deps;
    const isLong = round.costMs > LONGEST_ROUND_MS;
    if (isLong && this.#monotonic() - round.endedAt < ROUND_EVERY_MS) return false;
    const looked = round.scan(roots).then(
      () => true,
      (error: unknown) => {
        this.#deps.onFault?.(error);
        return false;
      },
    );
    if (isLong) return false;
    const late = Promise.withResolvers<boolean>();
    const cancel = setTimer(() => late.resolve(false), deadline - this.#monotonic());
    const isLooked = await Promise.race([looked, late.promise]);
    cancel();
    return isLooked;
  }

  /** A sync that fails leaves the search with what the index has, and says so. */
  async #sync(rules: Rules, deadline: number): Promise<boolean> {
    try {
      return await this.#deps.dirty.sync(rules, deadline);
    } catch (error) {
      this.#deps.onFault?.(error);
      return false;
    }
  }

  /** Marks files that were found and have changed, also where nobody told of it. */
  #lookAt(paths: string[], looked: Set<string>): void {
    const { dirty, sync } = this.#deps;
    const unseen = paths.filter((path) => !looked.has(path));
    const { changed, isComplete } = sync.changedFiles(unseen, this.#monotonic() + LOOK_MS);
    for (const path of changed) dirty.mark(path);
    if (isComplete) for (const path of unseen) looked.add(path);
  }
}
