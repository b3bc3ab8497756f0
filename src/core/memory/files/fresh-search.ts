import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isInside } from '../../paths/real-path.ts';
import { type DirtyPaths, type SyncRules, type SetTimer, systemTimer } from './dirty-paths.ts';
import type { FileScanner } from './file-scanner.ts';
import type { FileSync } from './file-sync.ts';
import type { DirectoryWatcher } from './directory-watcher.ts';
import type { SyncedDirectories } from './synced-directories.ts';

/** Maximum time that a search waits for changed files. */
export const FRESH_MS = 200;
/** The remaining time is for the found files, which are checked again after the search. */
const CATCH_UP_MS = 150;
/** When a scan takes longer than this, searches do not wait for it; it runs beside them at this interval. */
const MAX_SCAN_MS = 100;
const SCAN_INTERVAL_MS = 2000;
/** Minimum time to check the found files. */
const CHECK_MS = 20;
/** Another search can find other changed files. */
const MAX_SEARCHES = 3;

export interface Freshness {
  /** Changed files were synced before the search. */
  autoSynced: boolean;
  /** Files may have changed without being synced. */
  stale: boolean;
  /** Found files that are known to have changed. */
  stalePaths: Set<string>;
}

export interface FreshSearchDeps {
  watcher: Pick<DirectoryWatcher, 'isCurrent'>;
  sync: Pick<FileSync, 'changedFiles' | 'progress'>;
  dirty: DirtyPaths;
  scanner: FileScanner;
  syncedDirectories: Pick<SyncedDirectories, 'lastSyncedAt'>;
  onError?: (error: unknown) => void;
  setTimer?: SetTimer;
  monotonic?: () => number;
}

/**
 * Makes searches see the current files as far as possible within 200 ms. A result is not stale only if everything was
 * checked after the search started: by the watcher, which the system notifies at once, or by a scan of all files. An
 * earlier scan proves nothing, and neither does a directory whose first sync was not completed.
 */
export class FreshSearch {
  readonly #deps: FreshSearchDeps;
  readonly #monotonic: () => number;
  constructor(deps: FreshSearchDeps) {
    this.#deps = deps;
    this.#monotonic = deps.monotonic ?? (() => performance.now());
  }

  /** Runs `search`, and again when the files it found had changed. */
  async run<Found extends { paths: string[] }>(
    rules: SyncRules,
    search: () => Found,
  ): Promise<{ found: Found; freshness: Freshness }> {
    const { dirty, sync, syncedDirectories } = this.#deps;
    const start = this.#monotonic();
    // Where other daemons have all files, there is nothing to look at.
    const isFullyChecked =
      (rules.elsewhere !== undefined && rules.roots.length === 0) ||
      (await this.#detectChanges(rules.roots, start + CATCH_UP_MS));
    let autoSynced = await this.#sync(rules, start + CATCH_UP_MS);
    let found = search();
    const checked = new Set<string>();
    for (let searches = 1; ; searches++) {
      this.#checkFoundFiles(found.paths, checked, rules);
      if (dirty.isEmpty || searches === MAX_SEARCHES) break;
      if (!(await this.#sync(rules, start + FRESH_MS))) break;
      autoSynced = true;
      found = search();
    }
    const stalePaths = new Set(found.paths.filter((path) => dirty.covers(path) || !checked.has(path)));
    const isEveryRootSynced = rules.roots.every((root) => syncedDirectories.lastSyncedAt(root) !== undefined);
    const isCurrent = isFullyChecked && dirty.isEmpty && sync.progress === undefined && stalePaths.size === 0;
    const stale = !isCurrent || !isEveryRootSynced;
    return { found, freshness: { autoSynced, stale, stalePaths } };
  }

  /** Marks changed files as dirty and returns whether the check was complete. */
  async #detectChanges(roots: string[], deadline: number): Promise<boolean> {
    const { watcher: watch } = this.#deps;
    if (watch.isCurrent) {
      // Pending events are delivered within one full event-loop turn; the first turn may be partial.
      await yieldToEventLoop();
      await yieldToEventLoop();
      if (watch.isCurrent) return true;
    }
    const { scanner: round, setTimer = systemTimer } = this.#deps;
    const isLong = round.lastDurationMs > MAX_SCAN_MS;
    if (isLong && this.#monotonic() - round.finishedAt < SCAN_INTERVAL_MS) return false;
    const checked = round.scan(roots).then(
      () => true,
      (error: unknown) => {
        this.#deps.onError?.(error);
        return false;
      },
    );
    if (isLong) return false;
    const timeout = Promise.withResolvers<boolean>();
    const cancel = setTimer(() => timeout.resolve(false), deadline - this.#monotonic());
    const isFullyChecked = await Promise.race([checked, timeout.promise]);
    cancel();
    return isFullyChecked;
  }

  /** A failed sync leaves the search with the indexed state, reported as stale. */
  async #sync(rules: SyncRules, deadline: number): Promise<boolean> {
    try {
      return await this.#deps.dirty.sync(rules, deadline);
    } catch (error) {
      this.#deps.onError?.(error);
      return false;
    }
  }

  /** Marks found files that changed, even without an event. */
  #checkFoundFiles(paths: string[], checked: Set<string>, { roots, elsewhere }: SyncRules): void {
    const { dirty, sync } = this.#deps;
    if (elsewhere)
      for (const path of paths) if (!roots.some((root) => isInside(root, path))) checked.add(path);
    const unseen = paths.filter((path) => !checked.has(path));
    const { changed, isComplete } = sync.changedFiles(unseen, this.#monotonic() + CHECK_MS);
    for (const path of changed) dirty.mark(path);
    if (isComplete) for (const path of unseen) checked.add(path);
  }
}
