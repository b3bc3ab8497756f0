import type { ProviderName } from '../../contract/providers.ts';
import { type ListPrice, listPrices, type Rates } from './list-prices.ts';
import type { CachedTokens } from './token-usage.ts';

/** What calls of a model cost now, in USD per million tokens. */
export type ModelPrice = Omit<ListPrice, 'later'>;

/** A snapshot of a model costs what the model costs. */
const snapshot = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/** What calls of a model cost, by the settings first; undefined where it is unknown. */
export function priceOf(
  { provider, modelId }: { provider: ProviderName; modelId: string },
  { configured = {}, now }: { configured?: Readonly<Record<string, ModelPrice>>; now: Date },
): ModelPrice | undefined {
  const listed = listPrices.find((list) => list.provider === provider)?.models ?? {};
  for (const id of [modelId, modelId.replace(snapshot, '')]) {
    const name = `${provider}/${id}`;
    if (Object.hasOwn(configured, name)) return configured[name];
    if (Object.hasOwn(listed, id)) return listed[id] && presentOf(listed[id], now);
  }
  return undefined;
}

/** The price of a day, without what is announced for later. */
export function presentOf({ later, ...price }: ListPrice, now: Date): ModelPrice {
  if (!later || now.getTime() < Date.parse(later.from)) return price;
  const { input, output, cachedInput, cacheWrite } = later;
  return { input, output, cachedInput, cacheWrite };
}

/** The rates of a call with this prompt, in USD per million tokens. */
export const ratesOf = (price: ModelPrice, promptTokens: number): Rates =>
  price.long && promptTokens > price.long.above ? price.long : price;

/** What a call cost, in USD: `prompt` counts all tokens of the prompt, those that were cached too. */
export function costOfCall(
  price: ModelPrice,
  { prompt, answer, cached = {} }: { prompt: number; answer: number; cached?: CachedTokens | undefined },
): number {
  const { input, output, cachedInput = input, cacheWrite = input } = ratesOf(price, prompt);
  const read = Math.min(cached.read ?? 0, prompt);
  const written = Math.min(cached.written ?? 0, prompt - read);
  const fresh = prompt - read - written;
  return (fresh * input + read * cachedInput + written * cacheWrite + answer * output) / 1e6;
}
