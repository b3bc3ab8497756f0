import type { AgentFailure } from '../agents/agent-adapter.ts';
import { AppError } from '../errors.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import { dayOf } from '../usage/usage-days.ts';
import type { UsageRecord, UsedBy } from '../usage/usage-record.ts';
import type { Runtime } from '../runtime.ts';
import { BudgetCounts, type Used } from './budget-counts.ts';
import { BudgetMarks } from './budget-marks.ts';
import { BudgetNotices, type BudgetNoticesDeps } from './budget-notices.ts';
import { toBudgetReached } from './budget-reached.ts';
import { spentFailure } from './budget-spent.ts';
import { budgetsOf, type KnownBudgetsDeps, type MatchedBudget } from './known-budgets.ts';
import { TokenBudgets } from './token-budgets.ts';

/** How old what is known of other daemons may be while work runs. */
const FRESH_MS = 1000;

export interface BudgetsDeps extends Pick<KnownBudgetsDeps, 'config'>, Omit<BudgetNoticesDeps, 'marks'> {
  usage: Pick<UsageLedger, 'listen' | 'idle'>;
  runtime: Runtime;
  reportBug: (error: unknown) => void;
}

/** A budget and what may be used of it now. */
export interface CurrentBudget {
  budget: MatchedBudget;
  /** What people added to it in this period. */
  granted: Used;
}

export interface BeginOptions {
  /** Asks a person whether to continue past the budget, and resolves once it was raised; rejects where it was not. */
  ask?: ((budget: MatchedBudget, granted: Used) => Promise<void>) | undefined;
  /** Takes what a person who follows the work should know. */
  note?: ((message: string) => void) | undefined;
}

/** What work may use, watched while it runs. */
export interface RunBudget {
  /**
   * The failure once a budget is used up: of everything that was recorded, and of `pending`, which was not yet. Its code is
   * `budget_ask` where a person decides how the work continues.
   */
  check(pending?: Used): AgentFailure | undefined;
  end(): void;
}

/** The budgets that tasks, messages and calls of models share. Days and months are those of UTC. */
export class Budgets {
  readonly marks: BudgetMarks;
  readonly counts: BudgetCounts;
  readonly #deps: BudgetsDeps & KnownBudgetsDeps;
  readonly #notices: BudgetNotices;
  readonly #notes = new Map<string, (message: string) => void>();
  /** What is read and sent while work continues. */
  readonly #pending = new Set<Promise<void>>();

  constructor(deps: BudgetsDeps) {
    this.#deps = { ...deps, tokenBudgets: new TokenBudgets(deps) };
    this.marks = new BudgetMarks(deps.database);
    this.counts = new BudgetCounts(deps.database, () => deps.usage.idle());
    this.#notices = new BudgetNotices({ ...deps, marks: this.marks });
    deps.usage.listen((record, day) => {
      this.counts.add(record, day);
      this.#continue(this.#notice(record, day));
    });
  }

  /** The budget of work that begins; throws an `AgentFailure` where one is used up already. */
  async begin(usedBy: UsedBy, { ask, note }: BeginOptions = {}): Promise<RunBudget> {
    const current = await this.#current(usedBy);
    for (;;) {
      // Where nothing is left, no work begins; what uses the last of it may still finish.
      const spent = this.#spent(current, (used, limit) => used >= limit);
      if (!spent) break;
      if (spent.budget.onReached === 'stop' || !ask) throw this.#failure(spent.budget);
      await ask(spent.budget, spent.granted);
      const before = spent.granted;
      spent.granted = await this.marks.granted(spent.budget, this.#today());
      if (spent.granted.tokens <= before.tokens && spent.granted.usd <= before.usd)
        throw this.#failure(spent.budget);
    }
    const { taskId } = usedBy;
    if (taskId !== undefined && note) this.#notes.set(taskId, note);
    let readAt = this.#deps.runtime.monotonic();
    return {
      check: (pending) => {
        if (current.length > 0 && this.#deps.runtime.monotonic() - readAt > FRESH_MS) {
          readAt = this.#deps.runtime.monotonic();
          this.#continue(this.#read(current));
        }
        const spent = this.#spent(current, (used, limit) => used > limit, pending);
        return spent && this.#failure(spent.budget);
      },
      end: () => {
        if (taskId !== undefined) this.#notes.delete(taskId);
      },
    };
  }

  /** Throws a `BudgetReached` where a budget of work that is no task is used up; `asks` leaves out those that ask. */
  async require(usedBy: UsedBy, { asks = false }: { asks?: boolean } = {}): Promise<void> {
    if (usedBy.taskId !== undefined && usedBy.agent !== undefined) return;
    const current = (await this.#current(usedBy)).filter(
      ({ budget }) => !asks || budget.onReached === 'stop',
    );
    const spent = this.#spent(current, (used, limit) => used >= limit);
    if (!spent) return;
    throw toBudgetReached(this.#failure(spent.budget), this.#deps.runtime);
  }

  /** Resolves once the notices of everything that was recorded are sent, and nothing is read any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #continue(work: Promise<void>): void {
    const pending = work.catch(this.#onFailedRead).finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  async #current(usedBy: UsedBy): Promise<CurrentBudget[]> {
    const budgets = await budgetsOf(this.#deps, usedBy);
    const day = this.#today();
    const current = await Promise.all(
      budgets.map(async (budget) => ({ budget, granted: await this.marks.granted(budget, day) })),
    );
    await this.#read(current);
    return current;
  }

  async #read(current: readonly CurrentBudget[]): Promise<void> {
    const day = this.#today();
    for (const { budget } of current) await this.counts.read(budget.counts, budget.period, day);
  }

  #spent(
    current: readonly CurrentBudget[],
    isSpent: (used: number, limit: number) => boolean,
    pending: Used = { tokens: 0, usd: 0 },
  ): CurrentBudget | undefined {
    const day = this.#today();
    return current.find(({ budget: { counts, period, tokens, usd }, granted }) => {
      const used = this.counts.of(counts, period, day);
      return (
        (tokens !== undefined && isSpent(used.tokens + pending.tokens, tokens + granted.tokens)) ||
        (usd !== undefined && isSpent(used.usd + pending.usd, usd + granted.usd))
      );
    });
  }

  #failure(budget: MatchedBudget): AgentFailure {
    return spentFailure(budget, this.#today());
  }

  async #notice({ usedBy }: UsageRecord, day: string): Promise<void> {
    for (const budget of await budgetsOf(this.#deps, usedBy)) {
      const { counts, period } = budget;
      await this.counts.read(counts, period, day);
      const used = this.counts.of(counts, period, day);
      await this.#notices.check({ budget, used, usedBy, day, note: this.#notes.get(usedBy.taskId ?? '') });
    }
  }

  /** The next record, or the next check, reads again. */
  readonly #onFailedRead = (error: unknown): void => {
    if (!(error instanceof AppError)) this.#deps.reportBug(error);
  };

  #today(): string {
    return dayOf(this.#deps.runtime.now());
  }
}
