import type { ModelProviderType } from '../../contract/providers.ts';

/** USD per million tokens. */
export interface Rates {
  input: number;
  output: number;
  /** Of prompt tokens that the vendor had cached; as `input` where it is not known. */
  cachedInput?: number | undefined;
  /** Of prompt tokens that the vendor put into its cache; as `input` where it is not known. */
  cacheWrite?: number | undefined;
}
export interface ListPrice extends Rates {
  /** The rates of a call whose prompt is longer than this many tokens. */
  long?: Rates & { above: number };
  /** The rates from a day on that the vendor has announced. */
  later?: Rates & { from: string };
}
interface PriceList {
  provider: ModelProviderType;
  /** The page of the vendor, and the day of its prices. */
  source: string;
  asOf: string;
  models: Readonly<Record<string, ListPrice>>;
}

const rates = (input: number, output: number, cachedInput?: number, cacheWrite?: number): Rates => ({
  input,
  output,
  ...(cachedInput !== undefined && { cachedInput }),
  ...(cacheWrite !== undefined && { cacheWrite }),
});
/** Half price until the end of 2026. */
const introductory: ListPrice = {
  ...rates(0.75, 3.75, 0.075),
  later: { from: '2027-01-01', ...rates(1.5, 7.5) },
};
const opus = rates(5, 25, 0.5, 6.25);
const sonnet = rates(3, 15, 0.3, 3.75);
const grok: ListPrice = { ...rates(2, 6, 0.5), long: { above: 200_000, ...rates(4, 12, 1) } };

/**
 * The standard list prices of the vendors: input, output, cached input, and what is written into the cache for five
 * minutes. A model is listed only where its price is public, known and the same at all hours: any other price is unknown,
 * never zero.
 */
export const listPrices: readonly PriceList[] = [
  {
    provider: 'anthropic',
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    asOf: '2026-10-24',
    models: {
      'claude-fable-5-1': rates(10, 50, 0.25, 12.5),
      'claude-fable-5': rates(10, 50, 1, 12.5),
      'claude-opus-5-5': rates(4, 20, 0.2, 5),
      'claude-opus-5': opus,
      'claude-opus-4-8': opus,
      'claude-opus-4-7': opus,
      'claude-opus-4-6': opus,
      'claude-opus-4-5': opus,
      'claude-sonnet-5-5': rates(2, 10, 0.1, 2.5),
      'claude-sonnet-5': rates(2, 10, 0.2, 2.5),
      'claude-sonnet-4-6': sonnet,
      'claude-sonnet-4-5': sonnet,
      'claude-haiku-5-5': {
        ...rates(0.1, 0.5, 0.01, 0.125),
        long: { above: 100_000, ...rates(0.5, 2.5, 0.05, 0.625) },
      },
      'claude-haiku-4-5': rates(1, 5, 0.1, 1.25),
    },
  },
  {
    provider: 'openai',
    source: 'https://developers.openai.com/api/docs/pricing',
    asOf: '2026-09-05',
    models: {
      'gpt-5.5': { ...rates(5, 30, 0.5), long: { above: 272_000, ...rates(10, 45, 1) } },
      'gpt-5.4': { ...rates(2.5, 15, 0.25), long: { above: 272_000, ...rates(5, 22.5, 0.5) } },
      'gpt-5.4-mini': rates(0.75, 4.5, 0.075),
      'gpt-5.4-nano': rates(0.2, 1.25, 0.02),
      'gpt-5.3-codex': rates(1.75, 14, 0.175),
      'gpt-5.2': rates(1.75, 14, 0.175),
      'gpt-5.1': rates(1.25, 10, 0.125),
      'gpt-5': rates(1.25, 10, 0.125),
      'gpt-5-mini': rates(0.25, 2, 0.025),
      'gpt-5-nano': rates(0.05, 0.4, 0.005),
      'gpt-4.1': rates(2, 8, 0.5),
      'gpt-4.1-mini': rates(0.4, 1.6, 0.1),
      'gpt-4.1-nano': rates(0.1, 0.4, 0.025),
      'gpt-4o': rates(2.5, 10, 1.25),
      // An older snapshot, which costs more than the model.
      'gpt-4o-2024-05-13': rates(5, 15),
      'gpt-4o-mini': rates(0.15, 0.6, 0.075),
    },
  },
  {
    provider: 'google',
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
    asOf: '2026-10-07',
    models: {
      'gemini-3.8-flash': introductory,
      'gemini-3.7-flash': introductory,
      'gemini-3.6-flash': introductory,
      'gemini-3.5-flash': rates(1.5, 9, 0.15),
      'gemini-3.5-flash-lite': rates(0.3, 2.5, 0.03),
      'gemini-3.1-pro-preview': {
        ...rates(2, 12, 0.2),
        long: { above: 200_000, ...rates(4, 18, 0.4) },
      },
      'gemini-2.5-pro': { ...rates(1.25, 10), long: { above: 200_000, ...rates(2.5, 15) } },
      'gemini-2.5-flash': rates(0.3, 2.5),
      'gemini-2.5-flash-lite': rates(0.1, 0.4),
    },
  },
  {
    provider: 'xai',
    source: 'https://docs.x.ai/developers/pricing',
    asOf: '2026-09-29',
    models: { 'grok-4.7': grok, 'grok-4.6': grok, 'grok-4.5': grok },
  },
];
