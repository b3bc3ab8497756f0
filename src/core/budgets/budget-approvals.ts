import { createHash } from 'node:crypto';
import { AgentFailure, type AgentRun } from '../agents/agent-adapter.ts';
import { notOfCall } from '../approvals/approval-facts.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import type { ApprovalStore } from '../approvals/approval-store.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { dayOf } from '../usage/usage-days.ts';
import type { Used } from './budget-counts.ts';
import type { BudgetMarks } from './budget-marks.ts';
import { startOf } from './budget-period.ts';
import { describeSpent } from './budget-spent.ts';
import type { MatchedBudget } from './known-budgets.ts';

/** How much of a budget a person adds to it at once. */
const MORE = 0.5;

export interface BudgetApprovalsDeps {
  database: Database;
  approvals: Pick<ApprovalService, 'request' | 'waitForDecision'>;
  approvalStore: Pick<ApprovalStore, 'use'>;
  marks: BudgetMarks;
  runtime: Pick<Runtime, 'now'>;
}

/** Asks people whether a task may use more than a budget. */
export class BudgetApprovals {
  readonly #deps: BudgetApprovalsDeps;
  constructor(deps: BudgetApprovalsDeps) {
    this.#deps = deps;
  }

  /** Resolves once the budget was raised by half; throws a final `AgentFailure` where a person denies it. */
  async ask(
    budget: MatchedBudget,
    granted: Used,
    { task, ownerId, signal, emit }: Pick<AgentRun, 'task' | 'signal' | 'emit'> & { ownerId: string },
  ): Promise<void> {
    const { database, approvals, approvalStore, marks, runtime } = this.#deps;
    const day = dayOf(runtime.now());
    const more = { tokens: Math.ceil((budget.tokens ?? 0) * MORE), usd: (budget.usd ?? 0) * MORE };
    const reason = describeSpent(budget, day);
    const { counts, period, tokens, usd } = budget;
    const start = startOf(period, day);
    // The same question after a restart; another one once the budget was raised.
    const facts = JSON.stringify([task.id, counts, period, tokens, usd, start, granted]);
    const row = await approvals.request({
      run_id: task.id,
      call_id: `budget ${counts}`.slice(0, 200),
      owner_id: ownerId,
      conversation_id: null,
      task_id: task.id,
      scope_id: task.id,
      tool: 'exceed_budget',
      arguments: JSON.stringify({
        budget: budget.name,
        ...(tokens !== undefined && { tokens, moreTokens: more.tokens }),
        ...(usd !== undefined && { usd, moreUsd: more.usd }),
      }),
      cwd: task.cwd ?? '',
      danger: 'medium',
      reason,
      covers: null,
      ...notOfCall,
      binding: createHash('sha256').update(`exceed_budget ${facts}`).digest('hex'),
    });
    if (row.status === 'pending') {
      emit({ type: 'approval_requested', message: reason, data: { approvalId: row.id } });
      const { status } = await approvals.waitForDecision(row.id, signal);
      emit({ type: 'approval_decided', message: `The budget: ${status}`, data: { approvalId: row.id } });
      if (status !== 'approved')
        throw new AgentFailure('budget', 'budget_denied', `${reason}. A person did not raise it`, {
          isFinal: true,
        });
    }
    // In one transaction, so that an approval raises the budget once, also across a restart.
    await database.write(async (transaction) => {
      if (await approvalStore.use(transaction.db, row.id, runtime.now().toISOString()))
        marks.grant(transaction, budget, day, more);
    });
  }
}
