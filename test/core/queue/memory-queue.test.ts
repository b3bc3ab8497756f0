import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryQueue } from '../../../src/core/queue/memory-queue.ts';
import type { EnqueueOptions } from '../../../src/core/queue/task-queue.ts';
import { sized } from '../../helpers/long.ts';
import { behavesLikeItsModel, Workers } from './queue-model.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Lets everything happen that is due now. */
const settle = () => vi.advanceTimersByTimeAsync(0);

async function started(concurrency = 1) {
  const queue = new MemoryQueue();
  const workers = new Workers();
  await queue.start(workers.handle, { concurrency });
  return { queue, workers };
}
/** Enqueues before the start, so that all wait together. */
async function orderOf(entries: [id: string, options?: EnqueueOptions][], removed: string[] = []) {
  const queue = new MemoryQueue();
  const seen: string[] = [];
  for (const [id, options] of entries) await queue.enqueue(id, options);
  for (const id of removed) await queue.remove(id);
  await queue.start(async (id) => void seen.push(id), { concurrency: 1 });
  await settle();
  return seen.join('');
}

describe('a memory queue', () => {
  it('the memory queue behaves like its model', async () => {
    await behavesLikeItsModel({
      open: async (concurrency) => started(concurrency),
      delays: fc.integer({ min: 1, max: 20 }),
      advance: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)),
      compare: async (check) => {
        await settle();
        check();
      },
      runs: sized(100, 500),
    });
  });

  it('delivers priority 1 first and 4 last, and defaults to 3', async () => {
    expect(
      await orderOf([['d', { priority: 4 }], ['c'], ['b', { priority: 2 }], ['a', { priority: 1 }]]),
    ).toBe('abcd');
    expect(await orderOf([['x', { priority: 3 }], ['y'], ['z', { priority: 3 }]])).toBe('xyz');
  });

  it('delivers in order within a priority', async () => {
    const ids = Array.from({ length: 5000 }, (_, index) => `${index} `);
    expect(await orderOf(ids.map((each) => [each]))).toBe(ids.join(''));
  });

  it('does not deliver a waiting item twice', async () => {
    expect(await orderOf([['a'], ['b'], ['a'], ['a', { priority: 1 }], ['b', { delayMs: 5 }]])).toBe('ab');
  });

  it('redelivers an item that was enqueued while it ran', async () => {
    const { queue, workers } = await started(2);
    await queue.enqueue('a');
    await queue.enqueue('a');
    expect(workers.delivered).toEqual(['a', 'a']);
  });

  it('does not deliver a removed item', async () => {
    expect(await orderOf([['a'], ['b'], ['c']], ['b', 'nobody'])).toBe('ac');
  });

  it('appends an item that was removed and enqueued again', async () => {
    const { queue, workers } = await started();
    for (const each of ['running', 'a', 'b']) await queue.enqueue(each);
    await queue.remove('a');
    await queue.enqueue('a');
    for (let turn = 0; turn < 3; turn++) {
      workers.running[0]?.end();
      await settle();
    }
    expect(workers.delivered).toEqual(['running', 'b', 'a']);
  });

  it('delays an item as long as requested, even for months', async () => {
    const { queue, workers } = await started(10);
    const days = 86_400_000;
    await queue.enqueue('soon', { delayMs: 10 });
    await queue.enqueue('late', { delayMs: 60 * days });
    await vi.advanceTimersByTimeAsync(9);
    expect(workers.delivered).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(workers.delivered).toEqual(['soon']);
    await vi.advanceTimersByTimeAsync(59 * days);
    expect(workers.delivered).toEqual(['soon']);
    await vi.advanceTimersByTimeAsync(days);
    expect(workers.delivered).toEqual(['soon', 'late']);
  });

  it('never exceeds its concurrency', async () => {
    const { queue, workers } = await started(3);
    for (let index = 0; index < 10; index++) await queue.enqueue(`${index}`);
    expect(workers.running).toHaveLength(3);
    workers.running[1]?.end();
    await settle();
    expect(workers.running.map((run) => run.id)).toEqual(['0', '2', '3']);
  });

  it('continues after a handler failed', async () => {
    const { queue, workers } = await started();
    await queue.enqueue('a');
    await queue.enqueue('b');
    workers.running[0]?.fail(new Error('No'));
    await settle();
    expect(workers.delivered).toEqual(['a', 'b']);
  });

  it('closes when running items have finished, and delivers nothing more', async () => {
    const { queue, workers } = await started();
    await queue.enqueue('runs');
    await queue.enqueue('waits');
    await queue.enqueue('delayed', { delayMs: 10 });
    let isClosed = false;
    const closed = queue.close().then(() => (isClosed = true));
    await vi.advanceTimersByTimeAsync(1000);
    expect(isClosed).toBe(false);
    workers.running[0]?.end();
    await closed;
    await queue.enqueue('after');
    await vi.advanceTimersByTimeAsync(1000);
    expect(workers.delivered).toEqual(['runs']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
