import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError, messageOf } from '../../errors.ts';
import type { CallMessage, IndexCalls, IndexMessage, ThreadData } from './index-calls.ts';
import {
  belongsTo,
  isCorruption,
  needsRestore,
  recreateIndexDatabase,
  openIndexDatabase,
} from './index-database.ts';
import { createMemoryIndex, type MemoryIndex } from './memory-index.ts';

/** The index thread: handles calls one after the other, long ones in slices. */
const port = parentPort;
if (!port) throw new Error('This module must run in a worker thread');
const send = (message: IndexMessage) => port.postMessage(message);
/** Interval at which queued syncs are cancelled during a close. */
const CLOSE_POLL_MS = 5;
const DAMAGED = 'The memory index was damaged and is being rebuilt. Try again';

const { file, cacheMiB, pendingCalls, ...options } = workerData as ThreadData;
let database = openIndexDatabase(file, cacheMiB);
const index = create();
let isClosing = false;
const inProgress = new Set<Promise<void>>();

port.on('message', (message: CallMessage | 'close') => {
  if (isClosing) return;
  if (message === 'close') return void close();
  const answered = answer(message).finally(() => inProgress.delete(answered));
  inProgress.add(answered);
});

/** Damage may only show when the tables are read. */
function create(): MemoryIndex {
  const begin = () => {
    if (!belongsTo(database, options.cluster)) {
      database.close();
      database = recreateIndexDatabase(file, cacheMiB);
      belongsTo(database, options.cluster);
    }
    const created = createMemoryIndex(database, options, {
      onProgress: (progress) => send({ type: 'progress', progress }),
      onChange: () => send({ type: 'changed' }),
      onUnpublished: () => send({ type: 'unpublished' }),
      onError(error) {
        send({ type: 'fault', message: messageOf(error) });
        if (isCorruption(error)) void rebuild();
      },
      hasPendingCalls: () => Atomics.load(pendingCalls, 0) > 0,
    });
    if (needsRestore(database)) send({ type: 'lost' });
    return created;
  };
  try {
    return begin();
  } catch (error) {
    database.close();
    if (!isCorruption(error)) throw error;
    database = recreateIndexDatabase(file, cacheMiB);
    return begin();
  }
}

async function answer({ id, call, argument }: CallMessage): Promise<void> {
  try {
    const handler = index.calls[call] as (input: typeof argument) => ReturnType<IndexCalls[typeof call]>;
    send({ type: 'answer', id, value: await handler(argument) });
  } catch (error) {
    if (isCorruption(error)) {
      send({ type: 'failure', id, code: 'unavailable', message: DAMAGED });
      return void rebuild();
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    send({ type: 'failure', id, message, stack, ...(error instanceof AppError && { code: error.code }) });
  }
}

/** Cancels syncs and answers all pending calls before the thread exits. */
async function close(): Promise<void> {
  isClosing = true;
  for (index.stop(); inProgress.size > 0; index.stop())
    await Promise.race([Promise.all(inProgress), delay(CLOSE_POLL_MS)]);
  await index.close();
  port?.close();
}

/** Recreates a damaged index and exits; the next call starts a thread with it. */
async function rebuild(): Promise<void> {
  if (isClosing) return;
  await close();
  recreateIndexDatabase(file, cacheMiB).close();
}
