import { costOfCall, type ModelPrice, ratesOf } from '../../providers/model-prices.ts';
import type { CachedTokens } from '../../providers/token-usage.ts';
import { formatUsd } from '../../text/format-usd.ts';
import { expectedPrompt } from './prompt-size.ts';
import { RunFailure } from './run-failure.ts';
import type { RunLimits } from './run-policy.ts';
import { type RunState, usedTokens } from './run-state.ts';

/** A smaller answer budget is not worth a call. */
const MIN_ANSWER_TOKENS = 16;

export interface BudgetedRun {
  state: RunState;
  instructions: string;
  limits: Pick<RunLimits, 'tokens' | 'costUsd'>;
  /** Undefined where it is unknown; a run with a limit in USD has one. */
  price?: ModelPrice | undefined;
}

/** The token limit of the next answer, so that prompt and answer stay within the budgets; undefined without one. */
export function reserveTokens({ state, instructions, limits, price }: BudgetedRun): number | undefined {
  const { tokens: maxBudget, costUsd: maxCost } = limits;
  if (maxBudget === null && maxCost === null) return undefined;
  const prompt = expectedPrompt(state, instructions);
  const byTokens = maxBudget === null ? Number.POSITIVE_INFINITY : maxBudget - usedTokens(state) - prompt;
  if (byTokens < MIN_ANSWER_TOKENS)
    throw new RunFailure(
      'budget',
      'BUDGET_EXCEEDED',
      `The budget of ${maxBudget} tokens is used up: ${usedTokens(state)} were used, and the next step does not fit`,
    );
  const byCost = maxCost === null ? Number.POSITIVE_INFINITY : affordable(state, prompt, { maxCost, price });
  const left = Math.min(byTokens, byCost);
  return Number.isFinite(left) ? left : undefined;
}

/** Tokens of an answer that the rest of the money buys after the next prompt. */
function affordable(
  { costUsd = 0 }: RunState,
  prompt: number,
  { maxCost, price }: { maxCost: number; price: ModelPrice | undefined },
): number {
  const { input, output } = price ? ratesOf(price, prompt) : { input: 0, output: Number.POSITIVE_INFINITY };
  const left = (maxCost - costUsd) * 1e6 - prompt * input;
  if (left >= MIN_ANSWER_TOKENS * output)
    return output === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / output);
  throw new RunFailure(
    'budget',
    'COST_EXCEEDED',
    `The budget of ${formatUsd(maxCost)} USD is used up: ${formatUsd(costUsd)} USD were spent, and the next step does not fit`,
  );
}

/** A step, as far as its cost goes. */
export interface StepCost {
  /** What the provider says that it cost. */
  reported: number | undefined;
  price: ModelPrice | undefined;
  prompt: number;
  answer: number;
  cached?: CachedTokens | undefined;
  /** Whether the vendor did not count its tokens. */
  isEstimated?: boolean;
}

/** Adds what a step cost: as the provider says, else by its price; a step without either leaves the sum unknown. */
export function addCost(state: RunState, { reported, price, isEstimated, ...tokens }: StepCost): void {
  const cost = reported ?? (price && costOfCall(price, tokens));
  if (cost === undefined) state.hasUnknownCost = true;
  if (reported === undefined && isEstimated) state.hasEstimatedCost = true;
  if (cost === undefined || state.hasUnknownCost) delete state.costUsd;
  else state.costUsd = (state.costUsd ?? 0) + cost;
}

/** What the run cost so far; undefined where a part of it is unknown or estimated. */
export const knownCost = ({ costUsd, hasEstimatedCost }: RunState): number | undefined =>
  hasEstimatedCost ? undefined : costUsd;

/** The same, as a result shows it. */
export function costOfRun(state: RunState): string | undefined {
  const cost = knownCost(state);
  return cost === undefined ? undefined : formatUsd(cost);
}
