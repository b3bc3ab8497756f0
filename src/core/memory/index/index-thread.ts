import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError, messageOf } from '../../errors.ts';
import type { CallMessage, IndexCalls, IndexMessage, ThreadData } from './index-calls.ts';
import { isDamage, isLost, openAnew, openIndexDatabase } from './index-database.ts';
import { createMemoryIndex, type MemoryIndex } from './memory-index.ts';

/** The thread of the index: answers calls one after the other, those that take long in pieces. */
const port = parentPort;
if (!port) throw new Error('This runs in a thread only');
const tell = (message: IndexMessage) => port.postMessage(message);
/** How often a sync that waited for another is looked for at the end. */
const END_MS = 5;
const DAMAGED = 'The index of the memory was damaged and is made anew. Try again';

const { file, cacheMiB, awaited, ...options } = workerData as ThreadData;
let database = openIndexDatabase(file, cacheMiB);
const index = create();
let isClosing = false;
const underWay = new Set<Promise<void>>();

port.on('message', (message: CallMessage | 'close') => {
  if (isClosing) return;
  if (message === 'close') return void close();
  const answered = answer(message).finally(() => underWay.delete(answered));
  underWay.add(answered);
});

/** Damage may show only when the tables are looked at. */
function create(): MemoryIndex {
  const begin = () => {
    const created = createMemoryIndex(database, options, {
      onProgress: (progress) => tell({ type: 'progress', progress }),
      onChange: () => tell({ type: 'changed' }),
      onFault(error) {
        tell({ type: 'fault', message: messageOf(error) });
        if (isDamage(error)) void makeAnew();
      },
      isAwaited: () => Atomics.load(awaited, 0) > 0,
    });
    if (isLost(database)) tell({ type: 'lost' });
    return created;
  };
  try {
    return begin();
  } catch (error) {
    database.close();
    if (!isDamage(error)) throw error;
    database = openAnew(file, cacheMiB);
    return begin();
  }
}

async function answer({ id, call, argument }: CallMessage): Promise<void> {
  try {
    const run = index.calls[call] as (given: typeof argument) => ReturnType<IndexCalls[typeof call]>;
    tell({ type: 'answer', id, value: await run(argument) });
  } catch (error) {
    if (isDamage(error)) {
      tell({ type: 'failure', id, code: 'unavailable', message: DAMAGED });
      return void makeAnew();
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    tell({ type: 'failure', id, message, stack, ...(error instanceof AppError && { code: error.code }) });
  }
}

/** Whoever waits for an answer gets it; a sync is stopped first. */
async function close(): Promise<void> {
  isClosing = true;
  for (index.stop(); underWay.size > 0; index.stop())
    await Promise.race([Promise.all(underWay), delay(END_MS)]);
  await index.close();
  port?.close();
}

/** Ends with another index in place of a damaged one; the next call starts a thread with that. */
async function makeAnew(): Promise<void> {
  if (isClosing) return;
  await close();
  openAnew(file, cacheMiB).close();
}
