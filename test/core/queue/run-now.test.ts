import { describe, expect, it } from 'vitest';
import { MemoryQueue } from '../../../src/core/queue/memory-queue.ts';
import type { QueuedWork, QueueLimits } from '../../../src/core/queue/task-queue.ts';

const work = (owner = 'ann'): QueuedWork => ({
  priority: 1,
  owner,
  agent: 'builtin',
  needs: [],
  lane: 'task',
});

function workers(concurrency: number, limits?: Partial<QueueLimits>) {
  const all: QueueLimits = {
    poolOf: () => 'tasks',
    slots: () => concurrency,
    reserved: () => 0,
    weight: () => 1,
    perOwner: () => Number.POSITIVE_INFINITY,
    perOwnerAndAgent: () => Number.POSITIVE_INFINITY,
    agingMs: () => Number.POSITIVE_INFINITY,
    ...limits,
  };
  const queue = new MemoryQueue({ limits: all });
  const started: string[] = [];
  const held: PromiseWithResolvers<void>[] = [];
  const hold = (name: string) => {
    started.push(name);
    const end = Promise.withResolvers<void>();
    held.push(end);
    return end.promise;
  };
  const start = () => queue.start((id) => hold(id), { concurrency });
  const runNow = (name: string, owner?: string) => queue.runNow(work(owner), () => hold(name));
  return { queue, started, held, start, runNow };
}

describe('work that need not wait', () => {
  it('runs before the call returns, in a slot that others do not get', async () => {
    const { queue, started, start, runNow, held } = workers(1);
    await start();
    expect(runNow('now')).toBe(true);
    expect(started).toEqual(['now']);
    expect(runNow('second')).toBe(false);
    await queue.enqueue('queued', work());
    expect(started).toEqual(['now']);
    held[0]?.resolve();
    await expect.poll(() => started).toEqual(['now', 'queued']);
  });

  it('gives its slot back when it fails', async () => {
    const { started, start, runNow, held } = workers(1);
    await start();
    runNow('fails');
    held[0]?.reject(new Error('no'));
    await expect.poll(() => runNow('next')).toBe(true);
    expect(started).toEqual(['fails', 'next']);
  });

  it('does not pass what waits, nor the limits of its owner, nor the slots that are kept for others', async () => {
    const waiting = workers(2);
    await waiting.start();
    for (const id of ['a', 'b', 'c']) await waiting.queue.enqueue(id, work());
    expect(waiting.runNow('now')).toBe(false);

    const capped = workers(3, { perOwner: () => 1 });
    await capped.start();
    expect(capped.runNow('first')).toBe(true);
    expect(capped.runNow('second')).toBe(false);
    expect(capped.runNow('of another', 'bob')).toBe(true);

    const reserved = workers(2, { reserved: () => 1 });
    await reserved.start();
    expect(reserved.runNow('first')).toBe(true);
    expect(reserved.runNow('second')).toBe(false);
    expect(reserved.runNow('of another', 'bob')).toBe(true);
  });

  it('is refused before the queue delivers and after it was closed, which waits for it', async () => {
    const { queue, start, runNow, held } = workers(1);
    expect(runNow('early')).toBe(false);
    await start();
    expect(runNow('now')).toBe(true);
    let isClosed = false;
    const closed = queue.close().then(() => (isClosed = true));
    expect(runNow('late')).toBe(false);
    expect(isClosed).toBe(false);
    held[0]?.resolve();
    await closed;
  });
});
