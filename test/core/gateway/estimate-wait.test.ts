import { describe, expect, it } from 'vitest';
import { estimateWait } from '../../../src/core/gateway/estimate-wait.ts';

const average = 1000;

describe('estimateWait', () => {
  const cases: [string, { ahead: number; elapsed: number[]; concurrency: number }, number][] = [
    ['nothing runs', { ahead: 0, elapsed: [], concurrency: 1 }, 0],
    ['a worker is free', { ahead: 0, elapsed: [10], concurrency: 2 }, 0],
    ['free workers are left after those ahead', { ahead: 3, elapsed: [10], concurrency: 5 }, 0],
    ['the only worker has just begun', { ahead: 0, elapsed: [0], concurrency: 1 }, 1000],
    ['the only worker is half done', { ahead: 0, elapsed: [500], concurrency: 1 }, 500],
    ['the first of two is nearly done', { ahead: 0, elapsed: [100, 800], concurrency: 2 }, 200],
    ['another takes the first of two', { ahead: 1, elapsed: [100, 800], concurrency: 2 }, 900],
    ['two rounds are before it', { ahead: 4, elapsed: [100, 800], concurrency: 2 }, 2200],
    ['a run takes longer than usual', { ahead: 0, elapsed: [90_000], concurrency: 1 }, 100],
    ['free workers have a queue too', { ahead: 7, elapsed: [], concurrency: 3 }, 2000],
  ];
  it.each(cases)('estimates the wait when %s', (_, queue, ms) => {
    expect(estimateWait({ ...queue, average })).toBe(ms);
  });

  it('the estimated wait never falls as more tasks are ahead, and is always a whole number', () => {
    const waits = Array.from({ length: 200 }, (_, ahead) =>
      estimateWait({ ahead, elapsed: [3, 99, 1234, 777.7], concurrency: 7, average: 333.3 }),
    );
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits.every(Number.isInteger)).toBe(true);
    expect(waits.slice(0, 4)).toEqual([0, 0, 0, expect.any(Number)]);
    expect(waits[3]).toBeGreaterThan(0);
  });
});
