import { MemoryQueue } from '../../../src/core/queue/memory-queue.ts';
import type { QueueLimits } from '../../../src/core/queue/task-queue.ts';

export interface Delivery {
  id: string;
  /** Virtual milliseconds. */
  at: number;
}

/** A queue whose work takes virtual time: nothing waits for a real clock. */
export async function virtualWorkers(limits: QueueLimits, msOf: (id: string) => number) {
  let now = 0;
  let steps = 0;
  const delivered: Delivery[] = [];
  const ends: { at: number; id: string; end: () => void }[] = [];
  const queue = new MemoryQueue({ limits, monotonic: () => now, onStep: () => steps++ });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const handle = (id: string) => {
    delivered.push({ id, at: now });
    return new Promise<void>((end) => ends.push({ at: now + msOf(id), id, end }));
  };
  return {
    queue,
    delivered,
    start: () => queue.start(handle, { concurrency: 0 }),
    steps: () => steps,
    now: () => now,
    running: () => ends.map(({ id }) => id),
    /** Lets the time pass; what hangs for ever never ends. */
    async advance(ms: number) {
      const until = now + ms;
      for (;;) {
        ends.sort((a, b) => a.at - b.at);
        const [next] = ends;
        if (!next || next.at > until) break;
        ends.shift();
        now = next.at;
        next.end();
        await settle();
      }
      now = until;
      await settle();
    },
  };
}

/** One pool of slots without any other limit, where the test says nothing else. */
export const limitsOf = (slots: number, rules: Partial<QueueLimits> = {}): QueueLimits => ({
  poolOf: ({ lane }) => lane,
  slots: () => slots,
  reserved: () => 0,
  weight: () => 1,
  perOwner: () => Number.POSITIVE_INFINITY,
  perOwnerAndAgent: () => Number.POSITIVE_INFINITY,
  agingMs: () => 30_000,
  ...rules,
});
