import fc from 'fast-check';
import { expect } from 'vitest';
import type { TaskQueue } from '../../../src/core/queue/task-queue.ts';

/** Takes deliveries, which run until the test ends them. */
export class Workers {
  readonly delivered: string[] = [];
  readonly running: { id: string; end: () => void; fail: (error: Error) => void }[] = [];

  endAll(): void {
    while (this.running[0]) this.running[0].end();
  }

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

export interface Twin {
  open: (concurrency: number) => Promise<{ queue: TaskQueue; workers: Workers }>;
  /** Delays in milliseconds; where the time is not in the hands of the test, so long that they never pass. */
  delays: fc.Arbitrary<number>;
  advance?: (ms: number) => Promise<void>;
  /** Runs the check once everything has happened that is due now. */
  compare: (check: () => void) => Promise<void>;
  runs: number;
}

/** Checks a queue against the model, step by step. */
export async function behavesLikeItsModel({ open, delays, advance, compare, runs }: Twin): Promise<void> {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  // More comes than goes, so that there is something to order.
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('enqueue' as const),
        id,
        priority: fc.constantFrom(1, 3, 4),
        delayMs: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, delays),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), id }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 30 }) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), fails: fc.boolean() }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60, size: 'max' }),
      fc.integer({ min: 1, max: 3 }),
      async (steps, concurrency) => {
        const { queue, workers } = await open(concurrency);
        const model = new Model(concurrency);
        for (const now of steps) {
          if (now.do === 'enqueue') {
            model.enqueue(now.id, now.priority, now.delayMs);
            await queue.enqueue(now.id, now);
          } else if (now.do === 'remove') {
            model.remove(now.id);
            await queue.remove(now.id);
          } else if (now.do === 'advance') {
            if (!advance) continue;
            model.advance(now.ms);
            await advance(now.ms);
          } else {
            const [run] = workers.running;
            if (run) model.running--;
            model.deliver();
            if (now.fails) run?.fail(new Error('No'));
            else run?.end();
          }
          await compare(() => {
            expect(workers.delivered).toEqual(model.delivered);
            expect(workers.running).toHaveLength(model.running);
          });
        }
        const closed = queue.close();
        workers.endAll();
        await closed;
      },
    ),
    { numRuns: runs },
  );
}
