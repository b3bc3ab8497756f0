import type { ModelProviderType, ProviderName } from '../../contract/providers.ts';

/** USD per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  /** The prices of a call whose prompt is longer than this many tokens. */
  long?: { above: number; input: number; output: number };
}

const anthropic = 'https://platform.claude.com/docs/en/about-claude/pricing';
const openai = 'https://developers.openai.com/api/docs/pricing';
const google = 'https://ai.google.dev/gemini-api/docs/pricing';

/**
 * The standard list prices of the vendors on 2026-11-23, without discounts for cached prompts. A model is listed only where
 * its price is public and known: any other price is unknown, never zero.
 */
export const listPrices: readonly {
  provider: ModelProviderType;
  source: string;
  models: Readonly<Record<string, ModelPrice>>;
}[] = [
  {
    provider: 'anthropic',
    source: anthropic,
    models: {
      'claude-opus-5-5': { input: 4, output: 20 },
      'claude-opus-5': { input: 5, output: 25 },
      'claude-sonnet-5-5': { input: 2, output: 10 },
      'claude-haiku-4-5': { input: 1, output: 5 },
    },
  },
  {
    provider: 'openai',
    source: openai,
    models: {
      'gpt-5': { input: 1.25, output: 10 },
      'gpt-5-mini': { input: 0.25, output: 2 },
      'gpt-4.1': { input: 2, output: 8 },
      'gpt-4o': { input: 2.5, output: 10 },
      'gpt-4o-mini': { input: 0.15, output: 0.6 },
    },
  },
  {
    provider: 'google',
    source: google,
    models: {
      'gemini-2.5-pro': { input: 1.25, output: 10, long: { above: 200_000, input: 2.5, output: 15 } },
      'gemini-2.5-flash': { input: 0.3, output: 2.5 },
    },
  },
];

/** A snapshot of a model costs what the model costs. */
const snapshot = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/** What calls of a model cost, by the settings first; undefined where it is unknown. */
export function priceOf(
  { provider, modelId }: { provider: ProviderName; modelId: string },
  configured: Readonly<Record<string, ModelPrice>> = {},
): ModelPrice | undefined {
  const listed = listPrices.find((list) => list.provider === provider)?.models ?? {};
  for (const id of [modelId, modelId.replace(snapshot, '')]) {
    const name = `${provider}/${id}`;
    if (Object.hasOwn(configured, name)) return configured[name];
    if (Object.hasOwn(listed, id)) return listed[id];
  }
  return undefined;
}

/** The prices of a call with this prompt, in USD per token. */
export function ratesOf(price: ModelPrice, promptTokens: number): { input: number; output: number } {
  const { input, output } = price.long && promptTokens > price.long.above ? price.long : price;
  return { input: input / 1e6, output: output / 1e6 };
}
