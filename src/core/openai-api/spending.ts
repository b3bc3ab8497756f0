import { AgentFailure } from '../agents/agent-adapter.ts';
import type { Caller } from '../auth/caller.ts';
import type { DayBudgets } from '../budgets/day-budgets.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { AnswerEnd } from '../providers/model-calls.ts';
import { costOfCall } from '../providers/model-prices.ts';
import type { CallRequest } from '../providers/model-request.ts';
import type { AnswerPart, ResolvedModel } from '../providers/resolved-model.ts';
import type { Runtime } from '../runtime.ts';
import { CapReached } from './cap-reached.ts';
import { TokenMinutes } from './token-minutes.ts';

const MINUTE_MS = 60_000;
/** Characters of a token where its count is not known yet: more than it usually has, so that the estimate is low. */
const CHARACTERS = 5;
/** How many tokens may pass before they are counted. */
const COUNT_EVERY = 100;
/** Calls of models at /v1, where budgets are named after agents. */
const AS_AGENT = 'openai-api';

export interface SpendingDeps {
  limits: Pick<RateLimits, 'take' | 'check' | 'add' | 'left'>;
  budgets: Pick<DayBudgets, 'begin'>;
  runtime: Pick<Runtime, 'now'>;
  reportBug: (error: unknown) => void;
}

/** What a call used, as far as the provider reports it. */
export type UsedByCall = Pick<AnswerEnd, 'usage'> & Partial<AnswerEnd>;

/** Counts what one call uses while it answers. */
export interface CallSpending {
  /** Takes parts as they come; throws once the caller has reached a cap. */
  take(parts: readonly AnswerPart[]): void;
  /** Counts the call as it ended; what it was estimated to have used where it broke off. */
  end(end: UsedByCall | undefined): Promise<void>;
}

/** The caps of a caller: requests and tokens in a minute, and the budgets of the day. */
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

  /** Begins a call; throws where nothing is left of a cap. */
  async begin(
    caller: Caller,
    model: Pick<ResolvedModel, 'provider' | 'modelId' | 'price'>,
    request: CallRequest | string,
  ): Promise<CallSpending> {
    const minute = await this.#minutes.begin(caller);
    const budget = await this.#deps.budgets
      .begin(AS_AGENT, caller.token?.id ?? null)
      .catch(asCap(this.#deps));
    const length = typeof request === 'string' ? request.length : charactersIn(request);
    const prompt = Math.floor(length / CHARACTERS);
    let characters = 0;
    let counted = 0;
    const costOf = (answer: number) => (model.price ? costOfCall(model.price, { prompt, answer }) : 0);
    const count = (tokens: number, costUsd: number) => {
      minute?.count(tokens - counted, this.#deps.reportBug);
      counted = tokens;
      const failure = budget.spend({ tokens, costUsd });
      if (failure) throw toCap(failure, this.#deps.runtime);
    };
    const estimate = () => prompt + Math.floor(characters / CHARACTERS);
    return {
      take: (parts) => {
        for (const part of parts) if ('delta' in part) characters += part.delta.length;
        const tokens = estimate();
        if (tokens - counted < COUNT_EVERY) return;
        count(tokens, costOf(tokens - prompt));
        minute?.check();
      },
      end: async (end) => {
        const { promptTokens = prompt, completionTokens = estimate() - prompt } = end?.usage ?? {};
        const usage = { prompt: promptTokens, answer: completionTokens, cached: end?.cached };
        const costUsd = end?.costUsd ?? (model.price ? costOfCall(model.price, usage) : 0);
        try {
          count(promptTokens + completionTokens, costUsd);
        } catch (error) {
          // The answer is there already; the next call is refused.
          if (!(error instanceof CapReached)) throw error;
        }
      },
    };
  }
}

function charactersIn({ prompt }: CallRequest): number {
  let characters = 0;
  for (const { content } of prompt) {
    if (typeof content === 'string') characters += content.length;
    else
      for (const part of content) {
        if (part.type === 'text') characters += part.text.length;
        if (part.type === 'tool-result' && part.output.type === 'text')
          characters += part.output.value.length;
      }
  }
  return characters;
}

function toCap(failure: AgentFailure, { now }: Pick<Runtime, 'now'>): CapReached {
  const { resetsAt } = failure;
  return new CapReached(failure.message, resetsAt === undefined ? undefined : resetsAt - now().getTime());
}

const asCap =
  ({ runtime }: Pick<SpendingDeps, 'runtime'>) =>
  (error: unknown): never => {
    throw error instanceof AgentFailure ? toCap(error, runtime) : error;
  };
