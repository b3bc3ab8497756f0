import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../errors.ts';
import type { CallMessage, IndexCalls, IndexMessage, IndexOptions } from './index-calls.ts';
import { createMemoryIndex } from './memory-index.ts';

/** The thread of the index: answers calls one after the other, those that take long in pieces. */
const port = parentPort;
if (!port) throw new Error('This runs in a thread only');
const tell = (message: IndexMessage) => port.postMessage(message);

const index = createMemoryIndex(workerData as IndexOptions, {
  onProgress: (progress) => tell({ type: 'progress', progress }),
  onChange: () => tell({ type: 'changed' }),
});

port.on('message', (message: CallMessage | 'close') => {
  if (message === 'close') void index.close().then(() => port.close());
  else void answer(message);
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
