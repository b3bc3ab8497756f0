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
  finishReason?: string;
  /** Where the provider says what the call cost. */
  costUsd?: number | undefined;
}

/** What else is known of a call at its start. */
export interface CallDetails {
  maxTokens?: number | undefined;
  temperature?: number | undefined;
  isStreamed?: boolean;
  /** The messages, for those who may see them. */
  input?: () => unknown;
}
/** What a call answered: the text, or the text and the calls of tools. */
export type CallOutput = () => unknown;

/** The code of a failure; `cancelled` where the caller stopped the call. */
export interface CallFailure {
  failure: string;
}
/** Ends a call: with what it used, or with its failure. */
export type EndCall = (end: CallEnd | CallFailure, output?: CallOutput) => void;

/** Follows calls from their start. */
export interface CallWatcher {
  /** Whether it shows what is said, so that a streamed answer is worth keeping. */
  readonly showsContent: boolean;
  /** `model` is the name under which calls are counted. */
  watch(call: CalledModel & { model: string }, details: CallDetails): EndCall;
}

const CANCELLED = 'cancelled';

/** Counts the calls of models: how long they took, their tokens and their cost. */
export class ModelMetrics {
  readonly callSeconds = new Histogram([0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300]);
  readonly tokens = new Counter();
  readonly costUsd = new Counter();
  readonly #models = new Set<string>();
  readonly #monotonic: () => number;
  /** Set while telemetry is exported. */
  watcher: CallWatcher | undefined;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  get showsContent(): boolean {
    return this.watcher?.showsContent === true;
  }

  /** Begins a call; the function that it returns ends it, once. A cancelled call is not counted. */
  begin(call: CalledModel, details: CallDetails = {}): EndCall {
    const { provider, modelId } = call;
    const startedAt = this.#monotonic();
    const watched = this.watcher?.watch({ ...call, model: this.#bounded(provider, modelId) }, details);
    let isOver = false;
    return (end, output) => {
      if (isOver) return;
      isOver = true;
      watched?.(end, output);
      const isFailed = 'failure' in end;
      if (isFailed && end.failure === CANCELLED) return;
      const outcome = isFailed ? 'error' : 'success';
      this.callSeconds.observe({ provider, outcome }, (this.#monotonic() - startedAt) / 1000);
      if (isFailed) return;
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
