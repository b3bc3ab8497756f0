import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../errors.ts';
import { explainUnwritable } from '../paths/explain-unwritable.ts';
import { isBusy, whileBusy } from './sqlite/busy.ts';

/** Two that ask at the same moment may get in each other's way; asked again for so long, one of them gets it. */
const PATIENCE_MS = 300;

export interface DataLock {
  release(): void;
  /** False if the file was deleted or replaced, so that another process could lock its path. */
  isHeld(): boolean;
}

/**
 * Takes the data directory for this process, by a file lock that the kernel holds for SQLite: it ends with the process
 * however the process ends. The lock file may have been deleted under a running daemon, so the database itself is asked
 * too whether another process has it open.
 */
export async function lockDataDirectory(file: string, databaseFile?: string): Promise<DataLock> {
  const lock = await patiently(file, () => {
    const opened = new DatabaseSync(file, { timeout: 0 });
    try {
      // A transaction that never ends. In exclusive locking mode a failed try would keep its share of the lock.
      opened.exec('begin exclusive');
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  });
  try {
    if (databaseFile !== undefined && existsSync(databaseFile))
      await patiently(databaseFile, () => requireUnused(databaseFile));
  } catch (error) {
    lock.close();
    throw error;
  }
  const { dev, ino } = statSync(file);
  return {
    release: () => lock.close(),
    isHeld() {
      const now = statSync(file, { throwIfNoEntry: false });
      return now?.dev === dev && now.ino === ino;
    },
  };
}

/** Throws BUSY where another process has the database open, whether or not it does anything with it. */
function requireUnused(file: string): void {
  const probe = new DatabaseSync(file, { timeout: 0 });
  try {
    probe.exec('pragma locking_mode = exclusive; begin exclusive; rollback');
  } catch (error) {
    // What else is wrong with it is for the start to find and to say.
    if (isBusy(error)) throw error;
  } finally {
    probe.close();
  }
}

/** Tries again for a while; then another daemon has it. */
async function patiently<T>(file: string, attempt: () => T): Promise<T> {
  try {
    return await whileBusy(attempt, PATIENCE_MS);
  } catch (error) {
    if (!isBusy(error)) throw explainUnwritable(error, file);
    throw new AppError('unavailable', `Another daemon uses this data folder (${file}).`, { cause: error });
  }
}
