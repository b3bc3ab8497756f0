import { chmodSync, existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Locations } from '../../contract/locations.ts';

/** Removes the permissions of other users from a directory that belongs to this user. */
export function restrictToOwner(directory: string): void {
  if (statSync(directory).uid === process.getuid?.()) chmodSync(directory, 0o700);
}

/** The real paths of the directories that only the daemon may access. */
export const ownDirectories = ({ data, state, runtime, settingsFile }: Locations): string[] => [
  ...new Set(
    [data, state, runtime, dirname(settingsFile)]
      .filter(existsSync)
      .map((directory) => realpathSync(directory)),
  ),
];
