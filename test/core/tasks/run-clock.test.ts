import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RunClock } from '../../../src/core/tasks/run-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function startClock() {
  const times: number[] = [];
  const clock = new RunClock({
    limitMs: 100,
    monotonic: () => performance.now(),
    onTimeout: () => times.push(clock.elapsed()),
  });
  return { clock, times };
}

it('is up after its limit', () => {
  const { times } = startClock();
  vi.advanceTimersByTime(99);
  expect(times).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(times).toEqual([100]);
});

it('stands still while the run waits, however long that is', () => {
  const { clock, times } = startClock();
  vi.advanceTimersByTime(60);
  clock.stop();
  clock.stop();
  vi.advanceTimersByTime(1_000_000);
  expect(clock.elapsed()).toBe(60);
  clock.start();
  clock.start();
  vi.advanceTimersByTime(39);
  expect(times).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(times).toEqual([100]);
});

it('does not go on once the run has finished', () => {
  const { clock, times } = startClock();
  vi.advanceTimersByTime(10);
  clock.finish();
  clock.start();
  vi.advanceTimersByTime(1000);
  expect({ elapsed: clock.elapsed(), times }).toEqual({ elapsed: 10, times: [] });
});
