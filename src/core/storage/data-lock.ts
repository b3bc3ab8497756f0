import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../errors.ts';

/**
 * Takes the data folder for this process. The lock is a file lock that the kernel holds for SQLite, so it ends with the
 * process however the process ends; a pid file would outlive a kill -9.
 */
export function lockDataFolder(file: string): { release(): void } {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock.close();
    throw new AppError('unavailable', `Another daemon uses this data folder (${file}).`, { cause: error });
  }
  return { release: () => lock.close() };
}
