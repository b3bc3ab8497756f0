import type { AgentAdapter, AgentResult, AgentRun } from '../agents/agent-adapter.ts';
import type { BudgetApprovals } from '../budgets/budget-approvals.ts';
import type { Budgets, RunBudget } from '../budgets/budgets.ts';
import type { ReportedUsage, RunUsage } from '../usage/run-usage.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import type { UsedBy } from '../usage/usage-record.ts';
import type { RepositoryNames } from '../worktrees/repository-names.ts';
import type { ActiveRuns } from './active-runs.ts';
import type { StoredTask } from './task-mapping.ts';

export interface RunSpendingDeps {
  budgets: Pick<Budgets, 'begin'>;
  budgetApprovals: Pick<BudgetApprovals, 'ask'>;
  usage: Pick<UsageLedger, 'beginRun'>;
  repositoryNames: Pick<RepositoryNames, 'of'>;
  runs: Pick<ActiveRuns, 'stop' | 'fail'>;
}

/** The run of a task that begins. */
export interface BeginningRun extends Pick<AgentRun, 'task' | 'signal' | 'emit' | 'whileWaiting'> {
  adapter: Pick<AgentAdapter, 'type' | 'countsCalls'>;
  stored: StoredTask;
}

/** What the run of a task uses: counted in the ledger, and stopped by a budget. */
export class RunSpending {
  readonly usedBy: UsedBy;
  readonly #runs: RunSpendingDeps['runs'];
  readonly #taskId: string;
  readonly #budget: RunBudget;
  /** Undefined where each call is counted on its own. */
  readonly #counted: RunUsage | undefined;

  private constructor(
    runs: RunSpendingDeps['runs'],
    taskId: string,
    { usedBy, budget, counted }: { usedBy: UsedBy; budget: RunBudget; counted: RunUsage | undefined },
  ) {
    this.#runs = runs;
    this.#taskId = taskId;
    this.usedBy = usedBy;
    this.#budget = budget;
    this.#counted = counted;
  }

  /** Waits for a person where a budget says so; throws an `AgentFailure` where nothing is left of one. */
  static async begin(deps: RunSpendingDeps, run: BeginningRun): Promise<RunSpending> {
    const { adapter, stored, whileWaiting, emit } = run;
    const usedBy = await usedByTask(deps, adapter.type, stored);
    const budget = await deps.budgets.begin(usedBy, {
      ask: (...question) =>
        whileWaiting(() => deps.budgetApprovals.ask(...question, { ...run, ownerId: stored.owner_id })),
      note: (message) => emit({ type: 'progress', message }),
    });
    const counted = adapter.countsCalls ? undefined : deps.usage.beginRun(usedBy);
    return new RunSpending(deps.runs, stored.id, { usedBy, budget, counted });
  }

  /** Takes what the run has used so far, in all, and stops it where that is too much. */
  spend(used: ReportedUsage): void {
    this.#counted?.report(used);
    const spent = this.#budget.check();
    // The next run asks a person before it begins.
    if (spent?.code === 'budget_ask') this.#runs.stop(this.#taskId, 'budget');
    else if (spent) this.#runs.fail(this.#taskId, spent);
  }

  /** Takes what an agent says at its end, where it has said nothing before. */
  answered({ usage, cost, model }: AgentResult): void {
    if (!this.#counted?.isEmpty) return;
    this.#counted.report({
      inputTokens: usage?.inputTokens ?? 0,
      outputTokens: usage?.outputTokens ?? 0,
      costUsd: cost === undefined ? undefined : Number(cost),
      model,
    });
  }

  end(): void {
    this.#budget.end();
  }
}

/** For whom and what a run uses models. */
async function usedByTask(
  { repositoryNames }: Pick<RunSpendingDeps, 'repositoryNames'>,
  agent: string,
  task: StoredTask,
): Promise<UsedBy> {
  const found = task.cwd === null ? undefined : repositoryNames.of(task.cwd);
  const repository = task.repository ?? (await found);
  return {
    userId: task.owner_id,
    agent,
    taskId: task.id,
    ...(task.token_id !== null && { tokenId: task.token_id }),
    ...(repository !== undefined && { repository }),
  };
}
