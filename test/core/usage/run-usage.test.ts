import { expect, it } from 'vitest';
import { RunUsage } from '../../../src/core/usage/run-usage.ts';
import type { UsageRecord } from '../../../src/core/usage/usage-record.ts';

function begin() {
  const records: UsageRecord[] = [];
  const run = new RunUsage({ userId: 'user_1' }, (record) => records.push(record));
  const sum = (key: 'inputTokens' | 'outputTokens' | 'calls' | 'costUsd' | 'unknownCalls') =>
    records.reduce((total, record) => total + (record[key] ?? 0), 0);
  return { run, records, sum };
}

it('records what is new in each total, and nothing for one that repeats', () => {
  const { run, records, sum } = begin();
  run.report({ inputTokens: 10, outputTokens: 1, cachedTokens: 4 });
  run.report({ inputTokens: 10, outputTokens: 1, cachedTokens: 4 });
  run.report({ inputTokens: 30, outputTokens: 5, cachedTokens: 9 });
  expect(records.map(({ inputTokens, cachedTokens }) => [inputTokens, cachedTokens])).toEqual([
    [10, 4],
    [20, 5],
  ]);
  expect([sum('outputTokens'), sum('calls'), sum('unknownCalls')]).toEqual([5, 2, 2]);
});

it('counts a cost that comes after the calls once, and then none of them as unknown', () => {
  const { run, sum } = begin();
  run.report({ inputTokens: 10, outputTokens: 1 });
  run.report({ inputTokens: 20, outputTokens: 2 });
  run.report({ inputTokens: 20, outputTokens: 2, costUsd: 0.5 });
  run.report({ inputTokens: 20, outputTokens: 2, costUsd: 0.5 });
  expect([sum('calls'), sum('unknownCalls'), sum('costUsd')]).toEqual([2, 0, 0.5]);
  run.report({ inputTokens: 25, outputTokens: 2 });
  expect([sum('calls'), sum('unknownCalls')]).toEqual([3, 1]);
  run.report({ inputTokens: 25, outputTokens: 2, costUsd: 0.75 });
  expect([sum('unknownCalls'), sum('costUsd')]).toEqual([0, 0.75]);
});

it('restarts where a total is lower, as that of another process', () => {
  const { run, sum } = begin();
  run.report({ inputTokens: 100, outputTokens: 10, costUsd: 1 });
  run.report({ inputTokens: 0, outputTokens: 0 });
  run.report({ inputTokens: 150, outputTokens: 10, costUsd: 1.5 });
  expect([sum('inputTokens'), sum('outputTokens'), sum('costUsd')]).toEqual([250, 20, 2.5]);
});
