import type { Kysely } from 'kysely';
import type { Database } from '../../src/core/storage/database.ts';
import type { Schema } from '../../src/core/storage/schema.ts';

/** Turns of the event loop in which what waits for no storage comes to rest. */
const TURNS = 20;

let underWay = 0;
const onRest: (() => void)[] = [];

/** Lets everything come to rest that needs no time: the databases of the tests, and what their answers set going. */
export async function settle(): Promise<void> {
  for (let quiet = 0; quiet < TURNS; quiet++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (underWay === 0) continue;
    await new Promise<void>((resolve) => onRest.push(resolve));
    quiet = -1;
  }
}

/** The database, whose reads and writes `settle` waits for. */
export function watched(database: Database): Database {
  watchReads(database.read);
  watchReads(database.longRead);
  return { ...database, write: (work, options) => noted(database.write(work, options)) };
}

function watchReads(db: Kysely<Schema>): void {
  const executor = db.getExecutor();
  const provideConnection = executor.provideConnection.bind(executor);
  executor.provideConnection = (...use) => noted(provideConnection(...use));
}

async function noted<T>(work: Promise<T>): Promise<T> {
  underWay++;
  try {
    return await work;
  } finally {
    if (--underWay === 0) for (const resolve of onRest.splice(0)) resolve();
  }
}
