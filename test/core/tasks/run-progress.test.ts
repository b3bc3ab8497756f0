import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunProgress } from '../../../src/contract/run-progress.ts';
import { EventBus } from '../../../src/core/events.ts';
import { RunProgressReports } from '../../../src/core/tasks/run-progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const task = { id: 'task_1', owner_id: 'ann' };
function reports() {
  const bus = new EventBus();
  const published: RunProgress[] = [];
  bus.on('run_progress', ({ progress }) => void published.push(progress));
  return { reports: new RunProgressReports(bus), published };
}
const step = (number: number) =>
  ({ type: 'progress', message: '', data: { type: 'step:start', step: number } }) as const;

describe('the progress of runs', () => {
  it('joins the step, the tokens and the cost', () => {
    const { reports: all, published } = reports();
    const run = all.begin(task);
    run.note(step(1));
    expect(published).toEqual([{ step: 1 }]);
    run.note({ type: 'progress', message: 'a call', data: { type: 'tool:call', step: 'x' } });
    run.spend({ inputTokens: 0, outputTokens: 0, costUsd: 0 });
    run.spend({ inputTokens: 1200, outputTokens: 0, costUsd: 0.0125 });
    expect(all.of('task_1')).toEqual({ step: 1, tokens: 1200, cost: '0.0125' });
    vi.advanceTimersByTime(500);
    expect(published).toEqual([{ step: 1 }, { step: 1, tokens: 1200, cost: '0.0125' }]);
  });

  it('is published at most twice a second, and the last state always', () => {
    const { reports: all, published } = reports();
    const run = all.begin(task);
    for (let tokens = 1; tokens <= 1000; tokens++) {
      run.spend({ inputTokens: tokens, outputTokens: 0, costUsd: 0 });
      vi.advanceTimersByTime(1);
    }
    vi.advanceTimersByTime(5000);
    expect(published.length).toBeLessThanOrEqual(4);
    expect(published.at(-1)).toEqual({ tokens: 1000 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is gone when the run has ended, whatever it still reports', () => {
    const { reports: all, published } = reports();
    const run = all.begin(task);
    run.spend({ inputTokens: 1, outputTokens: 0, costUsd: 0 });
    run.spend({ inputTokens: 2, outputTokens: 0, costUsd: 0 });
    run.end();
    run.spend({ inputTokens: 3, outputTokens: 0, costUsd: 0 });
    vi.advanceTimersByTime(5000);
    expect(published).toEqual([{ tokens: 1 }]);
    expect(all.of('task_1')).toBeUndefined();
    expect([...all.all()]).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
