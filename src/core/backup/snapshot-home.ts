import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import { DATABASE, MEMORY, SETTINGS } from './backup-manifest.ts';
import { snapshotDatabase } from './snapshot-database.ts';

/** Copies the databases of a home with SQLite, each as it is at one moment, and its settings to a directory. */
export async function snapshotHome(
  { data, databaseFile, settingsFile }: Pick<Locations, 'data' | 'databaseFile' | 'settingsFile'>,
  directory: string,
): Promise<void> {
  await snapshotDatabase(databaseFile, join(directory, DATABASE));
  const memory = join(data, MEMORY);
  if (existsSync(memory)) await snapshotDatabase(memory, join(directory, MEMORY));
  if (existsSync(settingsFile)) await copyFile(settingsFile, join(directory, SETTINGS));
}
