import { expect, it } from 'vitest';
import { limitProblem } from '../../../src/core/agents/limit-fields.ts';

it('refuses limits for an agent that does not obey them', () => {
  expect(limitProblem({ type: 'http' }, { maxSteps: 3, model: 'x' })).toBe(
    'The agent "http" does not support model, maxSteps: only the built-in agent and coding agents do',
  );
  expect(limitProblem({ type: 'http' }, {})).toBeUndefined();
});

it('refuses a provider, but no model and no limit, for a coding agent', () => {
  const claude = { type: 'claude', driver: 'claude', obeysLimits: true };
  expect(limitProblem(claude, { model: 'opus', maxBudget: 1000 })).toBeUndefined();
  expect(limitProblem(claude, { provider: 'openai' })).toMatch(
    /^The agent "claude" has a provider of its own, so provider cannot be set\./,
  );
});
