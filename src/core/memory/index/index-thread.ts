import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError, messageOf } from '../../errors.ts';
import type { CallMessage, IndexCalls, IndexMessage, IndexOptions } from './index-calls.ts';
import { createMemoryIndex } from './memory-index.ts';

/** The thread of the index: answers calls one after the other, those that take long in pieces. */
const port = parentPort;
if (!port) throw new Error('This runs in a thread only');
const tell = (message: IndexMessage) => port.postMessage(message);
/** How often a sync that waited for another is looked for at the end. */
const END_MS = 5;

const index = createMemoryIndex(workerData as IndexOptions, {
  onProgress: (progress) => tell({ type: 'progress', progress }),
  onChange: () => tell({ type: 'changed' }),
  onFault: (error) => tell({ type: 'fault', message: messageOf(error) }),
});
let isClosing = false;
const underWay = new Set<Promise<void>>();

port.on('message', (message: CallMessage | 'close') => {
  if (message === 'close') return void close();
  if (isClosing) return;
  const answered = answer(message).finally(() => underWay.delete(answered));
  underWay.add(answered);
});

async function answer({ id, call, argument }: CallMessage): Promise<void> {
  try {
    const run = index.calls[call] as (given: typeof argument) => ReturnType<IndexCalls[typeof call]>;
    tell({ type: 'answer', id, value: await run(argument) });
  } catch (error) {
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
