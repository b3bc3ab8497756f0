import type { ApprovalService } from '../approvals/approval-service.ts';
import type { ApprovalStore } from '../approvals/approval-store.ts';
import { type Feature, TIDY_EVERY_MS } from '../lifecycle.ts';
import { dayOf } from '../usage/usage-days.ts';
import { BudgetApprovals } from './budget-approvals.ts';
import { BudgetService } from './budget-service.ts';
import { Budgets, type BudgetsDeps } from './budgets.ts';
import { ChatBudgets } from './chat-budgets.ts';

const KEPT_MS = 90 * 86_400_000;

export interface BudgetFeatureDeps extends BudgetsDeps {
  approvals: ApprovalService;
  approvalStore: ApprovalStore;
}

export interface BudgetServices {
  budgets: Budgets;
  budgetApprovals: BudgetApprovals;
  chatBudgets: ChatBudgets;
  budgetReports: BudgetService;
}

/** The budgets that tasks, messages and calls of models share. */
export function composeBudgets(deps: BudgetFeatureDeps): Feature<BudgetServices> {
  const { database, runtime } = deps;
  const budgets = new Budgets(deps);
  const budgetApprovals = new BudgetApprovals({ ...deps, marks: budgets.marks });
  return {
    services: {
      budgets,
      budgetApprovals,
      chatBudgets: new ChatBudgets({ ...deps, budgets, budgetApprovals }),
      budgetReports: new BudgetService({ ...deps, budgets }),
    },
    lifecycle: {
      stop: () => budgets.idle(),
      tidy: {
        everyMs: TIDY_EVERY_MS,
        // Removes what no budget looks at any more.
        run: () => {
          const before = dayOf(new Date(runtime.now().getTime() - KEPT_MS));
          return database.write(({ db }) => db.deleteFrom('usage_days').where('day', '<', before).execute());
        },
        shared: 'budgets',
      },
    },
  };
}
