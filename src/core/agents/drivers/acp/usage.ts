import type { AgentUsage } from '../driver.ts';
import { countOf, type Fields, objectOf } from './fields.ts';

/** Adds up what the turns of a session used: agents report tokens per turn and the cost of the whole session. */
export class AcpUsage {
  #usage: AgentUsage = {};

  /** Adds the usage in the answer to a prompt; undefined where it reports none. */
  addAnswer(answer: Fields): AgentUsage | undefined {
    const counted = { ...tokenCount(answer), ...objectOf(answer['usage']) };
    return this.#add({
      inputTokens: countOf(counted['inputTokens'] ?? counted['input_tokens']),
      outputTokens: countOf(counted['outputTokens'] ?? counted['output_tokens']),
      cachedInputTokens: countOf(counted['cachedReadTokens'] ?? counted['cachedInputTokens']),
    });
  }

  /** Takes the cost of a `usage_update`; a price of 0 is one that the agent does not know. */
  setCost({ cost }: Fields): AgentUsage | undefined {
    const { amount, currency } = objectOf(cost);
    const costUsd = currency === 'USD' ? countOf(amount) : undefined;
    if (!costUsd) return undefined;
    this.#usage = { ...this.#usage, costUsd };
    return this.#usage;
  }

  #add(turn: Pick<AgentUsage, 'inputTokens' | 'outputTokens' | 'cachedInputTokens'>): AgentUsage | undefined {
    const reported = Object.entries(turn).filter(([, count]) => count !== undefined);
    if (reported.length === 0) return undefined;
    const sum = { ...this.#usage };
    for (const [key, count] of reported as [keyof typeof turn, number][]) sum[key] = (sum[key] ?? 0) + count;
    this.#usage = sum;
    return sum;
  }
}

const tokenCount = (answer: Fields): Fields =>
  objectOf(objectOf(objectOf(answer['_meta'])['quota'])['token_count']);

/** Whether the agent counts the tokens of its turns. */
export const isCounting = (answer: Fields): boolean =>
  'token_count' in objectOf(objectOf(answer['_meta'])['quota']);

/** Whether the agent counts tokens and counted none in this turn: then no model has answered. */
export const isUncounted = (answer: Fields): boolean =>
  objectOf(objectOf(answer['_meta'])['quota'])['token_count'] === null;
