import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryQueue } from '../../../src/core/queue/memory-queue.ts';
import type { EnqueueOptions } from '../../../src/core/queue/task-queue.ts';
import { sized } from '../../helpers/long.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Delivers to handlers that run until the test ends them. */
class Workers {
  readonly delivered: string[] = [];
  readonly running: { id: string; end: () => void; fail: (error: Error) => void }[] = [];

  readonly handle = (id: string): Promise<void> => {
    this.delivered.push(id);
    return new Promise((resolve, reject) => {
      const leave = () => this.running.splice(this.running.indexOf(run), 1);
      const run = {
        id,
        end: () => {
          leave();
          resolve();
        },
        fail: (error: Error) => {
          leave();
          reject(error);
        },
      };
      this.running.push(run);
    });
  };
}
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

/** What the port promises, as slowly and plainly as it can be said. */
class Model {
  readonly delivered: string[] = [];
  running = 0;
  #now = 0;
  #order = 0;
  #ready: { id: string; priority: number; order: number }[] = [];
  #delayed: { id: string; priority: number; due: number; order: number }[] = [];
  readonly #concurrency: number;
  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  enqueue(id: string, priority: number, delayMs: number): void {
    if (this.#ready.some((entry) => entry.id === id)) return;
    const due = this.#now + delayMs;
    if (this.#delayed.some((entry) => entry.id === id && entry.due <= due)) return;
    this.remove(id);
    this.#delayed.push({ id, priority, due, order: this.#order++ });
    this.advance(0);
  }

  remove(id: string): void {
    this.#ready = this.#ready.filter((entry) => entry.id !== id);
    this.#delayed = this.#delayed.filter((entry) => entry.id !== id);
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#delayed.filter((entry) => entry.due <= this.#now);
    this.#delayed = this.#delayed.filter((entry) => entry.due > this.#now);
    for (const { id, priority } of due.sort((a, b) => a.due - b.due || a.order - b.order)) {
      this.#ready.push({ id, priority, order: this.#order++ });
      this.deliver();
    }
  }

  deliver(): void {
    while (this.running < this.#concurrency) {
      const [next] = this.#ready.toSorted((a, b) => a.priority - b.priority || a.order - b.order);
      if (!next) return;
      this.#ready = this.#ready.filter((entry) => entry !== next);
      this.delivered.push(next.id);
      this.running++;
    }
  }
}

describe('a memory queue', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  // More comes than goes, so that there is something to order.
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('enqueue' as const),
        id,
        priority: fc.constantFrom(1, 3, 4),
        delayMs: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 20 })),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), id }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 30 }) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), fails: fc.boolean() }) },
  );

  it('the memory queue behaves like its model', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60, size: 'max' }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, concurrency) => {
          const { queue, workers } = await started(concurrency);
          const model = new Model(concurrency);
          for (const now of steps) {
            if (now.do === 'enqueue') {
              model.enqueue(now.id, now.priority, now.delayMs);
              await queue.enqueue(now.id, now);
            } else if (now.do === 'remove') {
              model.remove(now.id);
              await queue.remove(now.id);
            } else if (now.do === 'advance') {
              model.advance(now.ms);
              await vi.advanceTimersByTimeAsync(now.ms);
            } else {
              const [run] = workers.running;
              if (run) model.running--;
              model.deliver();
              if (now.fails) run?.fail(new Error('No'));
              else run?.end();
            }
            await settle();
            expect(workers.delivered).toEqual(model.delivered);
            expect(workers.running).toHaveLength(model.running);
          }
          const closed = queue.close();
          while (workers.running[0]) workers.running[0].end();
          await closed;
        },
      ),
      { numRuns: sized(100, 500) },
    );
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
