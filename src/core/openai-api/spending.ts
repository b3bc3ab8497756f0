import { AgentFailure } from '../agents/agent-adapter.ts';
import type { Caller } from '../auth/caller.ts';
import type { BudgetApprovals } from '../budgets/budget-approvals.ts';
import type { Used } from '../budgets/budget-counts.ts';
import { toBudgetReached } from '../budgets/budget-reached.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { MatchedBudget } from '../budgets/known-budgets.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { AnswerEstimate } from '../providers/answer-estimate.ts';
import type { AnswerEnd } from '../providers/answer-end.ts';
import type { CallRequest } from '../providers/model-request.ts';
import type { AnswerPart, ResolvedModel } from '../providers/resolved-model.ts';
import type { Runtime } from '../runtime.ts';
import { usedByCaller } from '../usage/used-by.ts';
import { TokenMinutes } from './token-minutes.ts';

const MINUTE_MS = 60_000;
/** How many tokens may pass before they are counted. */
const COUNT_EVERY = 100;

export interface SpendingDeps {
  limits: Pick<RateLimits, 'take' | 'check' | 'add' | 'left'>;
  budgets: Pick<Budgets, 'begin'>;
  budgetApprovals: Pick<BudgetApprovals, 'leaveQuestion'>;
  runtime: Pick<Runtime, 'now'>;
  reportBug: (error: unknown) => void;
}

/** Watches what one call uses while it answers. */
export interface CallSpending {
  /** Takes parts as they come; throws once the caller has reached a cap. */
  take(parts: readonly AnswerPart[]): void;
  /** Ends with what the provider reports; where the call broke off, with an estimate. */
  end(reported: AnswerEnd['usage'] | undefined): void;
}

/** The caps of a caller: requests and tokens in a minute, and budgets of days and months. */
export class Spending {
  readonly #deps: SpendingDeps;
  readonly #minutes: TokenMinutes;
  constructor(deps: SpendingDeps) {
    this.#deps = deps;
    this.#minutes = new TokenMinutes(deps.limits);
  }

  /** Counts a request; throws where the caller may make no more in this minute. */
  async admit({ token }: Caller): Promise<void> {
    if (token?.requestsPerMinute === undefined) return;
    await this.#deps.limits.take('model requests', token.id, {
      max: token.requestsPerMinute,
      windowMs: MINUTE_MS,
      message: `This token may make ${token.requestsPerMinute} requests per minute. Try again later.`,
    });
  }

  /** Begins a call with a prompt, or with so many tokens; throws where nothing is left of a cap. */
  async begin(
    caller: Caller,
    model: Pick<ResolvedModel, 'provider' | 'modelId' | 'price'>,
    request: CallRequest | string | number,
  ): Promise<CallSpending> {
    const { budgets, budgetApprovals, runtime, reportBug } = this.#deps;
    const usedBy = usedByCaller(caller);
    const ask = (...question: [MatchedBudget, Used]) =>
      budgetApprovals.leaveQuestion(...question, usedBy.userId);
    const minute = await this.#minutes.begin(caller);
    const budget = await budgets.begin(usedBy, { ask }).catch((error: unknown) => {
      throw error instanceof AgentFailure ? toBudgetReached(error, runtime) : error;
    });
    const estimate = new AnswerEstimate(request, model.price);
    let counted = 0;
    const count = (tokens: number) => {
      minute?.count(tokens - counted, reportBug);
      counted = tokens;
    };
    return {
      take: (parts) => {
        estimate.take(parts);
        const { tokens } = estimate;
        if (tokens - counted < COUNT_EVERY) return;
        count(tokens);
        minute?.check();
        const failure = budget.check({ tokens, usd: estimate.used.usd ?? 0 });
        if (failure) throw toBudgetReached(failure, runtime);
      },
      end: (reported) => {
        budget.end();
        const { prompt, answer } = estimate.used;
        const { promptTokens = prompt, completionTokens = answer } = reported ?? {};
        if (reported || !estimate.isEmpty) count(promptTokens + completionTokens);
      },
    };
  }
}
