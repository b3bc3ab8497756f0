import { expect, it } from 'vitest';
import { MemoryQueue } from '../../../src/core/queue/memory-queue.ts';
import type { QueueLimits, WorkSlot } from '../../../src/core/queue/task-queue.ts';
import { until } from '../../helpers/tasks.ts';
import { limitsOf } from './virtual-workers.ts';

interface Delivered {
  slot: WorkSlot;
  end: () => void;
}
const never = new AbortController().signal;

/** A queue whose work runs until the test ends it. */
async function startQueue(limits: QueueLimits) {
  const queue = new MemoryQueue({ limits });
  const delivered = new Map<string, Delivered>();
  await queue.start(
    (id, _work, slot) => new Promise((resolve) => delivered.set(id, { slot, end: () => resolve() })),
    { concurrency: 1 },
  );
  const running = () => queue.pools().reduce((sum, pool) => sum + pool.running, 0);
  const get = (id: string): Delivered => {
    const found = delivered.get(id);
    if (!found) throw new Error(`${id} was not delivered`);
    return found;
  };
  return { queue, delivered, running, get };
}

it('gives the slot of work that waits to other work, and the next free one back to it', async () => {
  const { queue, delivered, running, get } = await startQueue(limitsOf(1));
  for (const id of ['a', 'b', 'c']) await queue.enqueue(id);
  get('a').slot.release();
  get('a').slot.release();
  expect([...delivered.keys()]).toEqual(['a', 'b']);
  let isBack = false;
  const back = get('a')
    .slot.acquire(never)
    .then(() => (isBack = true));
  await Promise.resolve();
  expect({ isBack, running: running() }).toEqual({ isBack: false, running: 1 });
  get('b').end();
  await back;
  // Before work that waits from the beginning.
  expect([...delivered.keys()]).toEqual(['a', 'b']);
  expect(running()).toBe(1);
  get('a').end();
  await until(() => expect(delivered.has('c')).toBe(true));
});

it('has a slot at once where one is free, and none twice', async () => {
  const { queue, running, get } = await startQueue(limitsOf(2));
  await queue.enqueue('a');
  const { slot, end } = get('a');
  await slot.acquire(never);
  slot.release();
  await slot.acquire(never);
  expect(running()).toBe(1);
  slot.release();
  end();
  await until(() => expect(running()).toBe(0));
});

it('leaves a slot to others when the wait for it is stopped', async () => {
  const { queue, delivered, running, get } = await startQueue(limitsOf(1));
  for (const id of ['a', 'b']) await queue.enqueue(id);
  get('a').slot.release();
  const stop = new AbortController();
  const back = get('a').slot.acquire(stop.signal);
  stop.abort(new Error('stopped'));
  await expect(back).rejects.toThrow('stopped');
  await expect(get('a').slot.acquire(stop.signal)).rejects.toThrow('stopped');
  get('a').end();
  get('b').end();
  await until(() => expect(running()).toBe(0));
  await queue.enqueue('c');
  expect(delivered.has('c')).toBe(true);
});

it('gives no slot back to an owner who runs as many tasks as allowed', async () => {
  const { queue, get, running } = await startQueue({ ...limitsOf(4), perOwner: () => 1 });
  await queue.enqueue('a', { owner: 'ann' });
  get('a').slot.release();
  await queue.enqueue('b', { owner: 'ann' });
  const back = get('a').slot.acquire(never);
  await Promise.resolve();
  expect(running()).toBe(1);
  get('b').end();
  await back;
  expect(running()).toBe(1);
});
