import { describe, expect, it } from 'vitest';
import type { CountCell } from '../../../src/core/storage/task-count-store.ts';
import { readSizes } from '../../../src/core/tasks/task-plan.ts';
import { isInCounters, totalOf } from '../../../src/core/tasks/total-of-counters.ts';

const cell = (agent: string, n: number, change: Partial<CountCell> = {}): CountCell => ({
  status: 'completed',
  priority: 3,
  source: 'api',
  agent,
  n,
  duration: 0,
  ...change,
});

describe('the total of a list by the counters', () => {
  const cells = [cell('claude', 7), cell('claude', 2, { status: 'failed', priority: 1 }), cell('codex', 1)];

  it('is the sum of what the filters leave', () => {
    expect(totalOf(cells, {})).toEqual({ total: 10 });
    expect(totalOf(cells, { status: ['failed'] })).toEqual({ total: 2 });
    expect(totalOf(cells, { priority: [3], source: ['api'] })).toEqual({ total: 8 });
    expect(totalOf(cells, { agent: 'claude' })).toEqual({ total: 9 });
    expect(totalOf(cells, { agent: 'unknown' })).toEqual({ total: 0 });
  });

  it('is not known for an agent while tasks wait that may be assigned to it, unless there are many', () => {
    const waiting = [...cells, cell('', 1, { status: 'pending' })];
    expect(totalOf(waiting, { agent: 'claude' })).toBeUndefined();
    expect(totalOf(waiting, { agent: 'claude', status: ['completed'] })).toEqual({ total: 7 });
    const many = readSizes.indexed + 1;
    const bound = { total: many + 9, isLowerBound: true };
    expect(totalOf([...waiting, cell('claude', many)], { agent: 'claude' })).toEqual(bound);
  });

  it('is known for no list with a filter that they have not', () => {
    expect(isInCounters({ agent: 'claude', status: ['failed'], ownerId: 'u', q: undefined })).toBe(true);
    expect(isInCounters({ labels: ['a'] })).toBe(false);
    expect(isInCounters({ agent: 'claude', cwd: '/' })).toBe(false);
  });
});
