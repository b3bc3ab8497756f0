import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RunTimers } from '../../../../src/core/chat/runs/run-timers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('covers the wait for a worker and the work with one timer', () => {
  const timers = new RunTimers(1000);
  const started = timers.start('run_1');
  vi.advanceTimersByTime(600);
  const taken = timers.take('run_1');
  expect(taken).toBe(started);
  expect(taken.isTaken).toBe(true);
  vi.advanceTimersByTime(399);
  expect(taken.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(taken.signal.reason).toMatchObject({
    code: 'TIMEOUT',
    message: 'Agentic mode reached its time limit of 1 s; a task has no such limit',
  });
});

it('gives a run of an earlier daemon the full time', () => {
  const { signal } = new RunTimers(1000).take('run_1');
  vi.advanceTimersByTime(999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.aborted).toBe(true);
});

it('removes the timer of a run when it is stopped', () => {
  const timers = new RunTimers(1000);
  const first = timers.start('run_1');
  first.stop();
  expect(timers.take('run_1')).not.toBe(first);
  vi.advanceTimersByTime(1000);
  expect(first.signal.aborted).toBe(false);
});
