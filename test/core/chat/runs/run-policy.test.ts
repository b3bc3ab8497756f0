import { expect, it } from 'vitest';
import { agenticRules, messageRules, taskRules } from '../../../../src/core/chat/runs/run-policy.ts';

it.each([
  [{ effort: 'low' }, 5],
  [{ effort: 'medium' }, 20],
  [{ effort: 'high' }, 50],
  [{ effort: 'max' }, 200],
  [{ effort: 'max', maxSteps: 3 }, 3],
  [{ effort: 'low', maxSteps: 100 }, 5],
] as const)('gives an agentic message with %o %i steps', (options, steps) => {
  expect(agenticRules(options, 1000).limits).toEqual({ steps, tokens: null, costUsd: null, wallMs: 1000 });
});

it('gives an agentic message its budget', () => {
  expect(agenticRules({ effort: 'low', maxBudget: 5000 }, 1000).limits.tokens).toBe(5000);
});

it('requires an answer after five round trips, or at once without tools', () => {
  expect(messageRules({ hasTools: true })).toEqual({
    onApproval: 'return',
    limits: { steps: 6, tokens: null, costUsd: null, wallMs: null },
    endsWithAnswer: true,
    retries: false,
  });
  expect(messageRules({ hasTools: false }).limits.steps).toBe(1);
});

it('lets a task wait for its approvals, within the limits that it has', () => {
  const limits = { steps: 30, tokens: 9000, costUsd: 0.5, wallMs: 60_000 };
  expect(taskRules(limits)).toEqual({
    onApproval: 'wait',
    limits,
    endsWithAnswer: false,
    retries: true,
  });
});
