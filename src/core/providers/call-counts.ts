import type { TokenUsage } from '../../contract/chat.ts';
import type {
  CallDetails,
  CallEnd,
  CallFailure,
  CallOutput,
  ModelMetrics,
} from '../metrics/model-metrics.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import { AnswerEstimate } from './answer-estimate.ts';
import { type AnswerEnd, toAnswerEnd } from './answer-end.ts';
import { costOfAnswer } from './call-cost.ts';
import type { CallRequest } from './model-request.ts';
import type { AnswerPart, ResolvedModel } from './resolved-model.ts';
import { HeardAnswer } from './streams/heard-answer.ts';
import type { CachedTokens } from './token-usage.ts';

/** How a call ended that brought an answer. */
export interface CountedEnd extends CallEnd {
  cached?: CachedTokens | undefined;
}

/** A call that is counted. */
export interface CountedCall {
  /** Takes the request whose answer is streamed, so that an answer that breaks off can be estimated. */
  sent(request: CallRequest): void;
  /** Takes parts of the answer as they come. */
  take(parts: readonly AnswerPart[]): void;
  /** Ends the call; what comes after the first end is not counted. */
  end(end: CountedEnd | CallFailure, output?: CallOutput): void;
}

export interface CallCountsDeps {
  metrics: Pick<ModelMetrics, 'begin' | 'showsContent'>;
  usage: Pick<UsageLedger, 'record'>;
}

/** Counts the calls of models: in the metrics of the daemon, and in the ledger, for whom they were made. */
export class CallCounts {
  readonly #deps: CallCountsDeps;
  constructor(deps: CallCountsDeps) {
    this.#deps = deps;
  }

  begin(model: ResolvedModel, details?: CallDetails): CountedCall {
    const { metrics } = this.#deps;
    const endMetrics = metrics.begin(model, details);
    let heard: HeardAnswer | undefined;
    let estimate: AnswerEstimate | undefined;
    let reported: AnswerEnd | undefined;
    let isOver = false;
    return {
      sent: (request) => {
        estimate = new AnswerEstimate(request, model.price);
        // A streamed answer is worth keeping where it is shown.
        if (metrics.showsContent) heard = new HeardAnswer();
      },
      take: (parts) => {
        heard?.add(parts);
        estimate?.take(parts);
        const finish = parts.find((part) => part.type === 'finish');
        if (finish) reported = toAnswerEnd(finish);
      },
      end: (end, output) => {
        const kept = 'failure' in end ? undefined : heard?.content;
        endMetrics(end, output ?? (kept && (() => kept)));
        if (isOver) return;
        isOver = true;
        const counted = 'failure' in end ? brokenOff(estimate, reported) : end;
        if (counted) this.#record(model, counted);
      },
    };
  }

  #record({ usedBy, provider, modelId, price }: ResolvedModel, end: CountedEnd): void {
    if (!usedBy) return;
    const { promptTokens = 0, completionTokens = 0 } = end.usage;
    this.#deps.usage.record({
      usedBy,
      provider,
      model: modelId,
      inputTokens: promptTokens,
      outputTokens: completionTokens,
      cachedTokens: end.cached?.read,
      costUsd: costOfAnswer(end, price),
    });
  }
}

/**
 * What an answer used that broke off, which providers charge for: as the provider reported, else estimated. Undefined where
 * the model has said nothing.
 */
function brokenOff(
  estimate: AnswerEstimate | undefined,
  reported: AnswerEnd | undefined,
): CountedEnd | undefined {
  const { promptTokens, completionTokens } = reported?.usage ?? {};
  const isReported = promptTokens !== undefined || completionTokens !== undefined;
  if (!isReported && (!estimate || estimate.isEmpty)) return undefined;
  const { prompt = 0, answer = 0 } = estimate?.used ?? {};
  const usage: TokenUsage = {
    promptTokens: promptTokens ?? prompt,
    completionTokens: completionTokens ?? answer,
  };
  return { ...reported, usage };
}
