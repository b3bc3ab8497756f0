import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import type { Feature } from '../lifecycle.ts';
import type { SharedClock } from '../shared-clock.ts';
import { explainUnwritable } from '../paths/explain-unwritable.ts';
import { makeDirectory } from '../paths/make-directory.ts';
import type { Log } from '../log.ts';
import { restrictToOwner } from '../paths/own-directories.ts';
import type { Runtime } from '../runtime.ts';
import { lockDataDirectory } from './data-lock.ts';
import type { Database } from './database.ts';
import { requireNotMoved } from './moved-mark.ts';
import { openSqlite, type StorageOptions } from './sqlite/open-sqlite.ts';

/** How often to check the storage while nothing is written. */
const CHECK_EVERY_MS = 5000;

/** The settings of the storage. */
interface StorageConfig {
  get(key: 'mode'): string;
  get(key: 'storage.synchronous'): StorageOptions['synchronous'];
  get(key: 'storage.cacheMiB' | 'storage.readers' | 'storage.writers'): number;
  get(key: 'storage.prepared'): boolean;
  get(key: 'storage.url'): string | undefined;
}

export interface StorageDeps extends Pick<StorageOptions, 'reportBug'> {
  onStartStep?: StorageOptions['report'];
  config: StorageConfig;
  runtime: Pick<Runtime, 'monotonic' | 'random'>;
  clock: Pick<SharedClock, 'add'>;
  locations: Locations;
  log: Log;
}

/** Locks the data directory for this daemon and opens the database; stopping closes both. */
export async function composeStorage({
  config,
  locations,
  log,
  runtime,
  clock,
  reportBug,
  onStartStep,
}: StorageDeps): Promise<Feature<{ database: Database }>> {
  try {
    for (const directory of [locations.data, locations.state, locations.runtime]) makeDirectory(directory);
    restrictToOwner(locations.data);
  } catch (error) {
    throw explainUnwritable(error);
  }
  const file = locations.databaseFile;
  const lock = await lockDataDirectory(join(locations.data, 'daemon.lock'), file);
  const open = async (): Promise<Database> => {
    const url = config.get('mode') === 'pro' ? config.get('storage.url') : undefined;
    if (url !== undefined) {
      // Most daemons have SQLite and never load the client of PostgreSQL.
      const { startPostgres } = await import('./postgres/start-postgres.ts');
      return startPostgres({
        url,
        prepared: config.get('storage.prepared'),
        readers: config.get('storage.readers'),
        writers: config.get('storage.writers'),
        reportBug,
        report: onStartStep,
        warn: (message) => log.warn({}, message),
        onTime: clock.add,
        monotonic: runtime.monotonic,
        random: runtime.random,
      });
    }
    return openSqlite({
      file,
      synchronous: config.get('storage.synchronous'),
      cacheMiB: config.get('storage.cacheMiB'),
      reportBug,
      report: onStartStep,
      isLocked: () => lock.isHeld(),
      monotonic: runtime.monotonic,
    });
  };
  const database = await open().catch((error: unknown) => {
    lock.release();
    throw error;
  });
  await requireNotMoved(database.read).catch(async (error: unknown) => {
    await database.close();
    lock.release();
    throw error;
  });
  const check = reportChanges(database, log);
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | undefined;
  const start = () => {
    timer = setInterval(() => void (checking = check()), CHECK_EVERY_MS).unref();
  };
  const stop = async () => {
    clearInterval(timer);
    await checking;
    await database.close();
    lock.release();
  };
  return { services: { database }, lifecycle: { start, stop } };
}

/** Checks the storage and logs when a fault begins and ends. */
function reportChanges(database: Database, log: Log): () => Promise<void> {
  let reported: string | undefined;
  return async () => {
    const fault = await database.checkNow();
    if (fault?.kind === reported) return;
    reported = fault?.kind;
    if (fault) log.error({ fault: fault.kind }, fault.message);
    else log.info({}, 'the database can be written again');
  };
}
