import { AgentFailure } from '../agents/agent-adapter.ts';
import { nextStart } from './budget-period.ts';
import type { MatchedBudget } from './known-budgets.ts';

/** What people read when a budget is used up. */
export function describeSpent({ name, tokens, usd, period, onReached }: MatchedBudget, day: string): string {
  const limits = [
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(usd === undefined ? [] : [`${usd.toFixed(2)} USD`]),
  ].join(' or ');
  const spent = `${name.charAt(0).toUpperCase()}${name.slice(1)} is used up: ${limits}`;
  if (period === 'day') return `${spent}. The next day begins at 00:00 UTC`;
  const next = nextStart(period, day);
  if (next !== undefined)
    return `${spent}. The next month begins on ${new Date(next).toISOString().slice(0, 10)} at 00:00 UTC`;
  return onReached === 'ask' ? `${spent}. A person decides whether the task continues` : spent;
}

/** The failure of work that a budget ends; `budget_ask` where a person decides how it continues. */
export function spentFailure(budget: MatchedBudget, day: string): AgentFailure {
  const code = budget.onReached === 'ask' ? 'budget_ask' : `${budget.period}_budget`;
  return new AgentFailure('budget', code, describeSpent(budget, day), {
    resetsAt: nextStart(budget.period, day),
  });
}
