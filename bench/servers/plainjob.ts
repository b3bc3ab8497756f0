import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Connection, defineQueue, defineWorker } from 'plainjob';
import { serveJobs } from './serve-jobs.ts';

/** It takes better-sqlite3 or Bun; the SQLite of Node.js spares the bench a native package. */
function connectionOf(database: DatabaseSync): Connection {
  const transaction = (work: (...params: unknown[]) => unknown) => {
    const inTransaction = (...params: unknown[]) => {
      database.exec('begin immediate');
      try {
        const result = work(...params);
        database.exec('commit');
        return result;
      } catch (error) {
        database.exec('rollback');
        throw error;
      }
    };
    return Object.assign(inTransaction, { immediate: inTransaction });
  };
  return {
    driver: 'better-sqlite3',
    filename: '',
    pragma: (statement) => database.exec(`pragma ${statement}`),
    exec: (statement) => database.exec(statement),
    prepare: (statement) => database.prepare(statement) as never,
    transaction: transaction as never,
    close: () => database.close(),
  };
}

await serveJobs(async (ended) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const database = new DatabaseSync(join(folder, 'jobs.db'));
  const logger = { error: console.error, warn: console.error, info: () => {}, debug: () => {} };
  const queue = defineQueue({ connection: connectionOf(database), logger });
  // It sets NORMAL, with which a power cut takes the last commits; svc keeps them.
  database.exec('pragma synchronous = full');
  const worker = defineWorker('noop', () => undefined, {
    queue,
    logger,
    pollIntervall: 10,
    onCompleted: ended,
  });
  const running = worker.start();
  return {
    create: async (count) =>
      queue.addMany(
        'noop',
        Array.from({ length: count }, () => ({ title: 'Nothing to do' })),
      ),
    close: async () => {
      await worker.stop();
      await running;
      queue.close();
      rmSync(folder, { recursive: true });
    },
  };
});
