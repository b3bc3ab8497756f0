import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

/** The check reads the whole file: up to this size it runs before the start, above it in a worker thread. */
const MAX_BLOCKING_BYTES = 64 * 1024 * 1024;

const checkInThread = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData, { readOnly: true });
  parentPort.postMessage(database.prepare('pragma quick_check(1)').get().quick_check);
  database.close();
`;

/** Checks the database; returns a function that reports the damage, which for a large file is found later. */
export function checkIntegrity(database: DatabaseSync, bytes: number): () => string | undefined {
  if (bytes <= MAX_BLOCKING_BYTES) {
    const answer = String(database.prepare('pragma quick_check(1)').get()?.['quick_check']);
    return () => (answer === 'ok' ? undefined : answer);
  }
  let damage: string | undefined;
  const worker = new Worker(checkInThread, { eval: true, workerData: database.location() });
  worker.on('message', (answer: string) => {
    if (answer !== 'ok') damage = answer;
  });
  worker.on('error', (error) => {
    damage = error instanceof Error ? error.message : 'the check failed';
  });
  worker.unref();
  return () => damage;
}
