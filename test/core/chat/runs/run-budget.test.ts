import { describe, expect, it } from 'vitest';
import {
  addCost,
  costOfRun,
  reserveTokens,
  type StepCost,
} from '../../../../src/core/chat/runs/run-budget.ts';
import { newRunState, type RunState } from '../../../../src/core/chat/runs/run-state.ts';

const stateOf = (change: Partial<RunState> = {}): RunState => ({
  ...newRunState([]),
  lastPrompt: { counted: 1000, estimated: 0 },
  ...change,
});
const reserve = (
  state: RunState,
  limits: { tokens?: number; costUsd?: number },
  price?: { input: number; output: number },
) => reserveTokens({ state, instructions: '', limits: { tokens: null, costUsd: null, ...limits }, price });
const price = { input: 10, output: 100 };

describe('reserveTokens', () => {
  it('leaves an answer without limits as long as it is', () => {
    expect(reserve(stateOf(), {})).toBeUndefined();
    expect(reserve(stateOf(), { costUsd: 1 }, { input: 0, output: 0 })).toBeUndefined();
  });

  it('limits an answer to the tighter of both budgets', () => {
    expect(reserve(stateOf(), { tokens: 1500 })).toBe(500);
    // 0.01 USD are for the prompt.
    expect(reserve(stateOf(), { tokens: 1500, costUsd: 0.03005 }, price)).toBe(200);
    expect(reserve(stateOf(), { tokens: 1100, costUsd: 0.03005 }, price)).toBe(100);
    expect(reserve(stateOf({ costUsd: 0.015 }), { costUsd: 0.03005 }, price)).toBe(50);
  });

  it.each([
    [{ tokens: 1010 }, 'BUDGET_EXCEEDED'],
    [{ costUsd: 0.011 }, 'COST_EXCEEDED'],
    [{ costUsd: 0.001 }, 'COST_EXCEEDED'],
  ])('starts no step that does not fit into %j', (limits, code) => {
    expect(() => reserve(stateOf(), limits, price)).toThrow(
      expect.objectContaining({ failure: 'budget', code }),
    );
  });

  it('starts no step with a limit in USD and no price', () => {
    expect(() => reserve(stateOf(), { costUsd: 1000 })).toThrow(
      expect.objectContaining({ code: 'COST_EXCEEDED' }),
    );
  });
});

describe('costOfRun', () => {
  const spend = (...steps: Partial<StepCost>[]) => {
    const state = stateOf();
    for (const step of steps)
      addCost(state, { reported: undefined, price: undefined, prompt: 1000, answer: 100, ...step });
    return state;
  };

  it('prefers what the provider reports', () => {
    expect(costOfRun(spend({ price }, { price, reported: 0.005 }))).toBe('0.025');
  });

  it('is unknown if the cost of any step is, or if tokens are estimated', () => {
    expect(costOfRun(spend({ price }, {}))).toBeUndefined();
    expect(costOfRun(spend())).toBeUndefined();
    expect(costOfRun(spend({ price }, { price, isEstimated: true }))).toBeUndefined();
    expect(costOfRun(spend({ reported: 0.005, isEstimated: true }))).toBe('0.005');
  });

  it('counts cached tokens at their own rates', () => {
    const cached = { read: 400, written: 100 };
    const step = { price: { ...price, cachedInput: 1, cacheWrite: 20 }, cached };
    // 500 fresh tokens at 10, 400 at 1, 100 at 20 and an answer of 100 at 100, per million.
    expect(costOfRun(spend(step))).toBe('0.0174');
    expect(costOfRun(spend({ price, cached }))).toBe('0.02');
  });
});
