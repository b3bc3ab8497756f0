import type { CalledModel, CallDetails, CallEnd, CallWatcher, EndCall } from '../metrics/model-metrics.ts';
import { Histogram, type MetricFamily } from '../metrics/metric-families.ts';
import type { Runtime } from '../runtime.ts';
import type { Attributes, Telemetry } from './telemetry.ts';

/** The names that the semantic conventions give to providers, where they are not those of svc. */
const providerNames: Record<string, string> = {
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};
const durationBounds = Array.from({ length: 14 }, (_, n) => 2 ** n / 100);
const tokenBounds = Array.from({ length: 14 }, (_, n) => 4 ** n);

/** Follows the calls of models with a span each, and with the metrics of the semantic conventions for generative AI. */
export class GenAi implements CallWatcher {
  readonly #telemetry: Telemetry;
  readonly #monotonic: () => number;
  readonly #durations = new Histogram(durationBounds);
  readonly #tokens = new Histogram(tokenBounds);

  constructor(telemetry: Telemetry, { monotonic }: Pick<Runtime, 'monotonic'>) {
    this.#telemetry = telemetry;
    this.#monotonic = monotonic;
  }

  get showsContent(): boolean {
    return this.#telemetry.showContent !== undefined;
  }

  watch({ provider, model }: CalledModel & { model: string }, details: CallDetails): EndCall {
    const startedAt = this.#monotonic();
    const labels = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': Object.hasOwn(providerNames, provider)
        ? (providerNames[provider] ?? provider)
        : provider,
      'gen_ai.request.model': model,
    };
    const span = this.#telemetry.startSpan(`chat ${model}`, {
      kind: 'client',
      attributes: { ...labels, ...this.#request(details) },
    });
    return (end, output) => {
      const failure = 'failure' in end ? end.failure : undefined;
      if (!('failure' in end)) {
        span.set(answered(end));
        this.#countTokens(labels, end);
      }
      const { showContent } = this.#telemetry;
      if (showContent && output) span.set({ 'gen_ai.output.messages': showContent(output()) });
      span.end(failure);
      const seconds = (this.#monotonic() - startedAt) / 1000;
      this.#durations.observe(
        { ...labels, ...(failure !== undefined && { 'error.type': failure }) },
        seconds,
      );
    };
  }

  families(): MetricFamily[] {
    return [
      {
        type: 'histogram',
        name: 'gen_ai.client.operation.duration',
        help: 'Duration of calls of models',
        histogram: this.#durations,
      },
      {
        type: 'histogram',
        name: 'gen_ai.client.token.usage',
        help: 'Tokens that calls of models used',
        histogram: this.#tokens,
      },
    ];
  }

  #request({ maxTokens, temperature, isStreamed, input }: CallDetails): Attributes {
    return {
      'gen_ai.request.max_tokens': maxTokens,
      'gen_ai.request.temperature': temperature,
      'gen_ai.request.stream': isStreamed === true ? true : undefined,
      'gen_ai.input.messages': input && this.#telemetry.showContent?.(input()),
    };
  }

  #countTokens(labels: Record<string, string>, { usage }: CallEnd): void {
    const { promptTokens, completionTokens } = usage;
    const kinds = [
      ['input', promptTokens],
      ['output', completionTokens],
    ] as const;
    for (const [type, tokens] of kinds)
      if (tokens !== undefined) this.#tokens.observe({ ...labels, 'gen_ai.token.type': type }, tokens);
  }
}

const answered = ({ usage, finishReason, costUsd }: CallEnd): Attributes => ({
  'gen_ai.usage.input_tokens': usage.promptTokens,
  'gen_ai.usage.output_tokens': usage.completionTokens,
  'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
  'svc.cost.usd': costUsd,
});
