import { chmodSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import { codeOf } from './file-errors.ts';

/** Removes the permissions of other users from a directory that belongs to this user. */
export function restrictToOwner(directory: string): void {
  if (statSync(directory).uid === process.getuid?.()) chmodSync(directory, 0o700);
}

/**
 * The directories that only the daemon may access, whether they exist yet or not: as they are named, and where they really
 * are.
 */
export const ownDirectories = ({ data, state, runtime, settingsFile }: Locations): string[] => [
  ...new Set(
    [data, state, runtime, dirname(settingsFile)]
      .map((directory) => resolve(directory))
      .flatMap((directory) => [realDirectory(directory), directory]),
  ),
];

/** Files outside these directories that only the daemon may read: as they are named, and where they really are. */
export const ownFiles = (files: readonly string[]): string[] => [
  ...new Set(files.map((file) => resolve(file)).flatMap((file) => [realDirectory(file), file])),
];

/** The real path; of a directory that does not exist yet, where creating it would put it. */
function realDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error) ?? '') || directory === dirname(directory))
      throw error;
    return join(realDirectory(dirname(directory)), basename(directory));
  }
}
