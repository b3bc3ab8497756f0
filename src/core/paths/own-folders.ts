import { chmodSync, existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Locations } from '../../contract/locations.ts';

/** A folder that was there before may be open to others. */
export function closeToOthers(folder: string): void {
  if (statSync(folder).uid === process.getuid?.()) chmodSync(folder, 0o700);
}

/** The real places of what only the daemon may touch. */
export const ownFolders = ({ data, state, runtime, settingsFile }: Locations): string[] => [
  ...new Set(
    [data, state, runtime, dirname(settingsFile)].filter(existsSync).map((folder) => realpathSync(folder)),
  ),
];
