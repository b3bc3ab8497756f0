import { expect, it } from 'vitest';
import { CandidateUsage } from '../../../src/core/candidates/candidate-usage.ts';

it('counts the totals that programs and models report, over all attempts', () => {
  const usage = new CandidateUsage();
  usage.add('a', { type: 'usage', input: 100, output: 20, costUsd: 0.1 });
  usage.add('a', { type: 'usage', input: 200, output: 40, costUsd: 0.2 });
  usage.add('a', { type: 'text:delta' });
  expect(usage.of('a')).toEqual({ tokens: 240, costUsd: 0.2 });
  // Another attempt counts from the start.
  usage.add('a', { type: 'usage', input: 50, output: 10, costUsd: 0.05 });
  expect(usage.of('a')).toEqual({ tokens: 300, costUsd: 0.25 });
  usage.add('b', { type: 'step:complete', usedTokens: 700 });
  expect(usage.of('b')).toEqual({ tokens: 700, costUsd: 0 });
  expect(usage.spent({ maxBudget: 1001 })).toBeUndefined();
  expect(usage.spent({ maxBudget: 1000 })).toBe('1000 tokens');
  expect(usage.spent({ maxCostUsd: '0.25' })).toBe('0.25 USD');
});
