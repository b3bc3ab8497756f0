import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../errors.ts';
import type { PostgresServer } from '../storage/postgres/connection-options.ts';

export interface SnapshotInput {
  server: PostgresServer;
  directory: string;
}

export type SnapshotOutcome = { isDone: true } | { isDone: false; code: ErrorCode; message: string };

const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './snapshot-thread.ts' : './snapshot-thread.js',
  import.meta.url,
);
/** A batch of rows is in it several times: as it came, as it is written, and as JSON for its checksum. */
const MEMORY_MIB = 512;

/** Copies one moment of the database of a cluster to a directory, in a thread; gives up when the signal is aborted. */
export async function snapshotCluster(input: SnapshotInput, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const worker = new Worker(threadFile, {
    workerData: input,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  });
  let outcome: SnapshotOutcome | undefined;
  worker.on('message', (message: SnapshotOutcome) => (outcome = message));
  const stop = () => void worker.terminate();
  signal.addEventListener('abort', stop);
  try {
    await once(worker, 'exit');
  } finally {
    signal.removeEventListener('abort', stop);
  }
  if (outcome?.isDone) return;
  signal.throwIfAborted();
  throw outcome
    ? new AppError(outcome.code, outcome.message)
    : new Error('The thread of a backup has ended early');
}
