import { AgentFailure } from '../agents/agent-adapter.ts';
import type { Caller } from '../auth/caller.ts';
import { toBudgetReached } from '../budgets/budget-reached.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { AnswerEnd } from '../providers/model-calls.ts';
import { costOfCall } from '../providers/model-prices.ts';
import type { CallRequest } from '../providers/model-request.ts';
import type { AnswerPart, ResolvedModel } from '../providers/resolved-model.ts';
import type { Runtime } from '../runtime.ts';
import { usedByCaller } from '../usage/used-by.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import { charactersIn } from './characters-in.ts';
import { TokenMinutes } from './token-minutes.ts';

const MINUTE_MS = 60_000;
/** Characters of a token where its count is not known yet: more than it usually has, so that the estimate is low. */
const CHARACTERS = 5;
/** How many tokens may pass before they are counted. */
const COUNT_EVERY = 100;

export interface SpendingDeps {
  limits: Pick<RateLimits, 'take' | 'check' | 'add' | 'left'>;
  budgets: Pick<Budgets, 'begin'>;
  usage: Pick<UsageLedger, 'record'>;
  runtime: Pick<Runtime, 'now'>;
  reportBug: (error: unknown) => void;
}

/** Watches what one call uses while it answers. */
export interface CallSpending {
  /** Takes parts as they come; throws once the caller has reached a cap. */
  take(parts: readonly AnswerPart[]): void;
  /** Ends with what the provider reports; where the call broke off, with what it is estimated to have used. */
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
    const { budgets, usage, runtime, reportBug } = this.#deps;
    const usedBy = usedByCaller(caller);
    const minute = await this.#minutes.begin(caller);
    const budget = await budgets.begin(usedBy).catch((error: unknown) => {
      throw error instanceof AgentFailure ? toBudgetReached(error, runtime) : error;
    });
    const prompt = typeof request === 'number' ? request : Math.floor(charactersIn(request) / CHARACTERS);
    let characters = 0;
    let counted = 0;
    const count = (tokens: number) => {
      minute?.count(tokens - counted, reportBug);
      counted = tokens;
    };
    const estimate = () => {
      const answer = Math.floor(characters / CHARACTERS);
      const usd = model.price && costOfCall(model.price, { prompt, answer });
      return { answer, tokens: prompt + answer, usd };
    };
    return {
      take: (parts) => {
        for (const part of parts) if ('delta' in part) characters += part.delta.length;
        if (prompt + characters / CHARACTERS - counted < COUNT_EVERY) return;
        const { tokens, usd = 0 } = estimate();
        count(tokens);
        minute?.check();
        const failure = budget.check({ tokens, usd });
        if (failure) throw toBudgetReached(failure, runtime);
      },
      end: (reported) => {
        budget.end();
        const { answer, tokens, usd } = estimate();
        if (reported) {
          const { promptTokens = prompt, completionTokens = answer } = reported;
          count(promptTokens + completionTokens);
          return;
        }
        if (characters === 0) return;
        count(tokens);
        // Providers charge for what they have sent, even if the caller ends the call.
        const { provider, modelId } = model;
        usage.record({
          usedBy,
          provider,
          model: modelId,
          inputTokens: prompt,
          outputTokens: answer,
          costUsd: usd,
        });
      },
    };
  }
}
