import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { translateStorageError } from '../storage/sqlite/storage-errors.ts';

/** Runs a script with `DatabaseSync`, `input` and `answer(value)` in a worker thread; resolves to what it answered. */
export async function inThread(script: string, input: object): Promise<unknown> {
  const worker = new Worker(
    `const { parentPort, workerData: input } = require('node:worker_threads');
     const { DatabaseSync } = require('node:sqlite');
     const answer = (value) => parentPort.postMessage(value);
     ${script}`,
    { eval: true, workerData: input },
  );
  let value: unknown;
  worker.on('message', (message: unknown) => (value = message));
  try {
    await once(worker, 'exit');
    return value;
  } catch (error) {
    throw translateStorageError(error);
  }
}
