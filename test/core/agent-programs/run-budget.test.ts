import { expect, it } from 'vitest';
import { ProgramBudget } from '../../../src/core/agent-programs/run-budget.ts';

const none = { tokens: undefined, costUsd: undefined, steps: undefined };

it('warns once at four fifths of a limit and stops the run at it, once', () => {
  const warnings: string[] = [];
  const budget = new ProgramBudget({ ...none, tokens: 10_000 }, (message) => warnings.push(message));
  expect(budget.check({ inputTokens: 7000, outputTokens: 900 }, 1)).toBeUndefined();
  expect(budget.check({ inputTokens: 7000, outputTokens: 1000 }, 2)).toBeUndefined();
  expect(budget.check({ inputTokens: 7000, outputTokens: 2000 }, 2)).toBeUndefined();
  expect(warnings).toEqual(['The run has used 8000 tokens of 10000 tokens']);
  expect(budget.check({ inputTokens: 8000, outputTokens: 2000 }, 3)).toMatchObject({
    failure: 'budget',
    code: 'max_tokens',
    isFinal: true,
  });
  expect(budget.check({ inputTokens: 9000, outputTokens: 2000 }, 3)).toBeUndefined();
});

it('names a limit as it was set', () => {
  const cost = new ProgramBudget({ ...none, costUsd: 0.0005 }, () => undefined);
  expect(cost.check({ costUsd: 0.01 }, 1)?.message).toBe('The run was stopped at its limit of 0.0005 USD');
  const steps = new ProgramBudget({ ...none, steps: 1 }, () => undefined);
  expect(steps.check({}, 1)).toBeUndefined();
  expect(steps.check({}, 2)?.message).toBe('The run was stopped at its limit of 1 step');
});
