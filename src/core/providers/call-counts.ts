import type {
  CallDetails,
  CallEnd,
  CallFailure,
  CallOutput,
  ModelMetrics,
} from '../metrics/model-metrics.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import { costOfAnswer } from './call-cost.ts';
import type { ResolvedModel } from './resolved-model.ts';
import type { CachedTokens } from './token-usage.ts';

/** How a call ended that brought an answer. */
export interface CountedEnd extends CallEnd {
  cached?: CachedTokens | undefined;
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

  /** Whether what a call answers is shown to anybody, so that a streamed answer is worth keeping. */
  get showsContent(): boolean {
    return this.#deps.metrics.showsContent;
  }

  /** Begins a call; the function that it returns ends it, once. */
  begin(
    model: ResolvedModel,
    details?: CallDetails,
  ): (end: CountedEnd | CallFailure, output?: CallOutput) => void {
    const endMetrics = this.#deps.metrics.begin(model, details);
    return (end, output) => {
      endMetrics(end, output);
      if ('failure' in end || !model.usedBy) return;
      const { promptTokens = 0, completionTokens = 0 } = end.usage;
      this.#deps.usage.record({
        usedBy: model.usedBy,
        provider: model.provider,
        model: model.modelId,
        inputTokens: promptTokens,
        outputTokens: completionTokens,
        cachedTokens: end.cached?.read,
        costUsd: costOfAnswer(end, model.price),
      });
    };
  }
}
