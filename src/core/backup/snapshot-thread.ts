// Copies the database of a cluster in a thread of its own, so that the daemon continues to answer.
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import { translateStorageError } from '../storage/sqlite/storage-errors.ts';
import { copyCluster } from './copy-cluster.ts';
import type { SnapshotInput, SnapshotOutcome } from './snapshot-cluster.ts';

const { server, directory } = workerData as SnapshotInput;
const answer = (outcome: SnapshotOutcome) => parentPort?.postMessage(outcome);
try {
  await copyCluster(server, directory);
  answer({ isDone: true });
} catch (error) {
  const failure = translateStorageError(error);
  // Its class would not arrive.
  if (!(failure instanceof AppError)) throw error;
  answer({ isDone: false, code: failure.code, message: failure.message });
}
