import { basename, dirname } from 'node:path';
import { isInside } from '../../paths/real-path.ts';
import type { SyncOrder } from '../index/index-calls.ts';
import { FileIntake } from './file-intake.ts';
import type { FileStore, KnownFile } from './file-store.ts';
import type { SyncOutcome } from './file-sync.ts';
import { TreeWalk } from './walk-tree.ts';

export interface PathSyncDeps {
  store: FileStore;
  order: Omit<SyncOrder, 'basePath'>;
  protectedDirectories: string[];
  now: () => Date;
  /** Of `performance.now()`. */
  deadline: number;
}

/** Syncs single places without a pause, and answers what was left when the time was over. */
export function syncPaths(
  paths: string[],
  { store, order, protectedDirectories, now, deadline }: PathSyncDeps,
): { outcome: SyncOutcome; left: string[] } {
  using intake = new FileIntake({ store, order, now });
  const left: string[] = [];
  const isLate = () => performance.now() > deadline;
  for (const place of withFoldersOfRules(paths)) {
    if (isLate()) {
      left.push(place);
      continue;
    }
    const walk = new TreeWalk({ ...order, protectedDirectories, skipped: intake.skipped });
    store.change(() => {
      const known = new Map<string, KnownFile>([...store.knownBelow(place)].flat());
      for (const step of walk.from(place)) {
        if (typeof step === 'object') {
          const before = known.get(step.path);
          known.delete(step.path);
          if (intake.isAsKnown(before, step.path, step.stats)) intake.synced++;
          else intake.take(step.path);
        }
        // A folder whose names are not all known cannot be left for later in parts.
        if (step !== 'listing' && isLate()) break;
      }
      left.push(...walk.left);
      for (const path of walk.missing(known.keys())) intake.remove(known.get(path));
    });
  }
  return { outcome: { ...intake.counts, cancelled: false }, left };
}

/** A changed `.gitignore` changes what is indexed of its whole folder. */
function withFoldersOfRules(paths: string[]): string[] {
  const folders = paths.filter((path) => basename(path) === '.gitignore').map((path) => dirname(path));
  const outermost = new Set(folders);
  return [...outermost, ...paths.filter((path) => !folders.some((folder) => isInside(folder, path)))];
}
