import type { TokenUsage } from '../../contract/chat.ts';
import { Counter, Histogram } from '../metrics/metric-families.ts';

/** Callers name models as they like: beyond this many, models are counted together. */
const MAX_MODELS = 200;
const MAX_NAME_LENGTH = 100;

export interface CalledModel {
  provider: string;
  modelId: string;
}
export interface CallEnd {
  usage: TokenUsage;
  /** Where the provider says what the call cost. */
  costUsd?: number | undefined;
}

/** Counts the calls of models: how long they took, their tokens and their cost. */
export class ModelMetrics {
  readonly callSeconds = new Histogram([0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300]);
  readonly tokens = new Counter();
  readonly costUsd = new Counter();
  readonly #models = new Set<string>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Begins a call; the function that it returns ends it, without an argument where the call failed. */
  begin({ provider, modelId }: CalledModel): (end?: CallEnd) => void {
    const startedAt = this.#monotonic();
    return (end) => {
      const outcome = end ? 'success' : 'error';
      this.callSeconds.observe({ provider, outcome }, (this.#monotonic() - startedAt) / 1000);
      if (!end) return;
      const labels = { provider, model: this.#bounded(provider, modelId) };
      const { promptTokens = 0, completionTokens = 0 } = end.usage;
      this.tokens.add({ ...labels, kind: 'prompt' }, promptTokens);
      this.tokens.add({ ...labels, kind: 'completion' }, completionTokens);
      if (end.costUsd !== undefined) this.costUsd.add(labels, end.costUsd);
    };
  }

  #bounded(provider: string, modelId: string): string {
    const name = `${provider}/${modelId}`;
    if (modelId.length > MAX_NAME_LENGTH) return 'other';
    if (!this.#models.has(name) && this.#models.size >= MAX_MODELS) return 'other';
    this.#models.add(name);
    return modelId;
  }
}
