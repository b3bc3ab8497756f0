import { basename, dirname } from 'node:path';
import { isInside } from '../../paths/real-path.ts';
import type { SyncRequest } from '../index/index-calls.ts';
import { FileIndexer } from './file-indexer.ts';
import type { FileStore, KnownFile } from './file-store.ts';
import type { SyncOutcome } from './sync-outcome.ts';
import { TreeWalk } from './tree-walk.ts';

export interface PathSyncDeps {
  store: FileStore;
  request: Omit<SyncRequest, 'basePath'>;
  protectedDirectories: string[];
  now: () => Date;
  /** In time of `performance.now()`. */
  deadline: number;
}

/** Syncs single paths without yielding; returns what was left at the deadline. */
export function syncPaths(
  paths: string[],
  { store, request, protectedDirectories, now, deadline }: PathSyncDeps,
): { outcome: SyncOutcome; remaining: string[] } {
  using indexer = new FileIndexer({ store, request, now });
  const remaining: string[] = [];
  const isPastDeadline = () => performance.now() > deadline;
  for (const start of expandRuleFiles(paths)) {
    if (isPastDeadline()) {
      remaining.push(start);
      continue;
    }
    const walk = new TreeWalk({ ...request, protectedDirectories, skipped: indexer.skipped });
    store.transaction(() => {
      const known = new Map<string, KnownFile>([...store.knownBelow(start)].flat());
      for (const step of walk.from(start)) {
        if (typeof step === 'object') {
          const before = known.get(step.path);
          known.delete(step.path);
          if (indexer.isUnchanged(before, step.path, step.stats)) indexer.synced++;
          else indexer.indexFile(step.path);
        }
        // A directory that was not listed completely cannot be continued later.
        if (step !== 'listing' && isPastDeadline()) break;
      }
      remaining.push(...walk.remaining);
      for (const path of walk.missing(known.keys())) indexer.remove(known.get(path));
    });
  }
  return { outcome: { ...indexer.counts, cancelled: false }, remaining };
}

/** A changed `.gitignore` affects its whole directory. */
function expandRuleFiles(paths: string[]): string[] {
  const directories = paths.filter((path) => basename(path) === '.gitignore').map((path) => dirname(path));
  const outermost = new Set(directories);
  return [
    ...outermost,
    ...paths.filter((path) => !directories.some((directory) => isInside(directory, path))),
  ];
}
