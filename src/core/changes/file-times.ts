import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isInside } from '../paths/real-path.ts';

/** Clocks of file systems may be this much behind; a snapshot takes longer. */
const CLOCK_MS = 10;

/**
 * Whether all files are as they were when they were read, from `begunAt` on. A file that changed just before could have
 * changed again since without a trace in its times.
 */
export function isUnchangedSince(
  begunAt: number,
  before: ReadonlyMap<string, Stats>,
  files: ReadonlyMap<string, Stats>,
): boolean {
  if (before.size !== files.size) return false;
  for (const [path, { ino, mode, size, mtimeMs, ctimeMs }] of files) {
    const old = before.get(path);
    if (!old || old.ino !== ino || old.mode !== mode || old.size !== size) return false;
    if (old.mtimeMs !== mtimeMs || old.ctimeMs !== ctimeMs || ctimeMs >= begunAt - CLOCK_MS) return false;
  }
  return true;
}

/** Whether an inode came into being after the moment; where the file system does not say, when it last changed counts. */
export const isNewSince = ({ birthtimeMs, ctimeMs }: Stats, moment: number): boolean =>
  (birthtimeMs > 0 ? birthtimeMs : ctimeMs) >= moment - CLOCK_MS;

/** The topmost directory below the workspace that was created for the file since the moment. */
export async function madeDirectoryOf(
  path: string,
  workspace: string,
  moment: number,
): Promise<string | undefined> {
  let made: string | undefined;
  for (
    let directory = dirname(path);
    directory !== workspace && isInside(workspace, directory);
    directory = dirname(directory)
  ) {
    const found = await lstat(directory).catch(() => undefined);
    if (!found || !isNewSince(found, moment)) break;
    made = directory;
  }
  return made;
}
