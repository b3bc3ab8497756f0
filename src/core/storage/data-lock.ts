import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../errors.ts';

/**
 * Two that ask at the same moment may get in each other's way; asked again for so long, one of them gets it. The event
 * loop waits with it, before there is anything else to do.
 */
const PATIENCE_MS = 300;

/**
 * Takes the data folder for this process. The lock is a file lock that the kernel holds for SQLite, so it ends with the
 * process however the process ends; a pid file would outlive a kill -9.
 */
export function lockDataFolder(file: string): { release(): void } {
  const lock = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    // A transaction that never ends. In exclusive locking mode a failed try would keep its share of the lock.
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    throw new AppError('unavailable', `Another daemon uses this data folder (${file}).`, { cause: error });
  }
  return { release: () => lock.close() };
}
