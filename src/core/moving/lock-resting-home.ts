import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import { AppError } from '../errors.ts';
import { type DataLock, lockDataDirectory } from '../storage/data-lock.ts';

/** Keeps daemons from starting with this home. Throws `unavailable` where one runs, and says how to stop it. */
export async function lockRestingHome({
  data,
  databaseFile,
}: Pick<Locations, 'data' | 'databaseFile'>): Promise<DataLock> {
  try {
    return await lockDataDirectory(join(data, 'daemon.lock'), databaseFile);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
    throw new AppError('unavailable', `${error.message} Stop it first: svc daemon stop`, { cause: error });
  }
}
