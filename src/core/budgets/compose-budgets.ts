import { type Feature, TIDY_EVERY_MS } from '../lifecycle.ts';
import { DayBudgets, type DayBudgetsDeps } from './day-budgets.ts';

/** The budgets that tasks and calls of models share. */
export function composeBudgets(deps: DayBudgetsDeps): Feature<{ budgets: DayBudgets }> {
  const budgets = new DayBudgets(deps);
  return {
    services: { budgets },
    lifecycle: { tidy: { everyMs: TIDY_EVERY_MS, run: () => budgets.tidy(), shared: 'budgets' } },
  };
}
