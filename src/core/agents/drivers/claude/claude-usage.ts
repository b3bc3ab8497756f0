import type { AgentUsage } from '../driver.ts';
import { amount, type Fields, fields } from './claude-messages.ts';

interface Tokens {
  input: number;
  output: number;
  cached: number;
}

/** Tokens and cost of the session in this process: call by call during a turn, and as the CLI adds them up at its end. */
export class ClaudeUsage {
  /** The calls of the turn, by message id: one message comes in several lines. */
  readonly #calls = new Map<string, Tokens>();
  readonly #finished: Tokens = { input: 0, output: 0, cached: 0 };
  #costUsd: number | undefined;
  #totalCostUsd = 0;

  /** Adds what a line says of a model call; true if the call is new. */
  call(id: string, usage: unknown): boolean {
    const isNew = !this.#calls.has(id);
    const known = this.#calls.get(id) ?? { input: 0, output: 0, cached: 0 };
    const said = tokensOf(fields(usage) ?? {});
    // Early lines of a message hold the first count of its output, later ones only the output.
    this.#calls.set(id, {
      input: Math.max(known.input, said.input),
      output: Math.max(known.output, said.output),
      cached: Math.max(known.cached, said.cached),
    });
    return isNew;
  }

  /** Takes the CLI's own sums at the end of a turn in place of the calls. */
  finish(result: Fields): void {
    const models = fields(result['model_usage_since_last_result']);
    const total = amount(result['total_cost_usd']);
    // By model there are also the calls of subagents, for titles, and the one that a cancel cut short; and the total cost
    // goes on from what a resumed session cost in earlier processes.
    const spent = models ? Object.values(models).map((model) => fields(model) ?? {}) : undefined;
    const own = fields(result['usage']);
    const sums = spent?.map(modelTokensOf) ?? (own ? [tokensOf(own)] : [...this.#calls.values()]);
    for (const { input, output, cached } of sums) {
      this.#finished.input += input;
      this.#finished.output += output;
      this.#finished.cached += cached;
    }
    const cost =
      spent?.reduce((sum, model) => sum + (amount(model['costUSD']) ?? 0), 0) ??
      (total === undefined ? undefined : Math.max(0, total - this.#totalCostUsd));
    if (cost !== undefined) this.#costUsd = (this.#costUsd ?? 0) + cost;
    if (total !== undefined) this.#totalCostUsd = total;
    this.#calls.clear();
  }

  total(): AgentUsage {
    const all = [this.#finished, ...this.#calls.values()];
    const sum = (key: keyof Tokens) => all.reduce((total, tokens) => total + tokens[key], 0);
    return {
      inputTokens: sum('input'),
      outputTokens: sum('output'),
      cachedInputTokens: sum('cached'),
      ...(this.#costUsd !== undefined && { costUsd: this.#costUsd }),
    };
  }
}

/** What is written to the cache is input like any other: only what is read from it costs less. */
const tokensOf = (usage: Fields): Tokens => ({
  input: (amount(usage['input_tokens']) ?? 0) + (amount(usage['cache_creation_input_tokens']) ?? 0),
  output: amount(usage['output_tokens']) ?? 0,
  cached: amount(usage['cache_read_input_tokens']) ?? 0,
});

const modelTokensOf = (usage: Fields): Tokens => ({
  input: (amount(usage['inputTokens']) ?? 0) + (amount(usage['cacheCreationInputTokens']) ?? 0),
  output: amount(usage['outputTokens']) ?? 0,
  cached: amount(usage['cacheReadInputTokens']) ?? 0,
});
