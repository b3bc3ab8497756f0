import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import type { Feature } from '../lifecycle.ts';
import { restrictToOwner } from '../paths/own-directories.ts';
import { lockDataFolder } from './data-lock.ts';
import type { Database } from './database.ts';
import { openDatabase, type StorageOptions } from './open-database.ts';

export interface StorageDeps extends Omit<StorageOptions, 'file'> {
  locations: Locations;
}

/** The database of a data directory that belongs to this daemon alone; stopping closes it and gives the directory back. */
export async function composeStorage({
  locations,
  ...options
}: StorageDeps): Promise<Feature<{ database: Database }>> {
  for (const folder of [locations.data, locations.state, locations.runtime])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  restrictToOwner(locations.data);
  const lock = lockDataFolder(join(locations.data, 'daemon.lock'));
  const database = await openDatabase({ ...options, file: locations.databaseFile }).catch(
    (error: unknown) => {
      lock.release();
      throw error;
    },
  );
  const stop = async () => {
    await database.close();
    lock.release();
  };
  return { services: { database }, lifecycle: { stop } };
}
