import { expect, it } from 'vitest';
import { listPrices } from '../../../src/core/providers/list-prices.ts';
import { costOfCall, type ModelPrice, priceOf, ratesOf } from '../../../src/core/providers/model-prices.ts';

const now = new Date('2026-11-23T00:00:00.000Z');

it('a model has its list price, and so have its snapshots', () => {
  const price = { input: 0.25, output: 2, cachedInput: 0.025 };
  expect(priceOf({ provider: 'openai', modelId: 'gpt-5-mini' }, { now })).toEqual(price);
  expect(priceOf({ provider: 'openai', modelId: 'gpt-5-mini-2026-08-07' }, { now })).toEqual(price);
  expect(priceOf({ provider: 'anthropic', modelId: 'claude-haiku-4-5-20251001' }, { now })).toEqual({
    input: 1,
    output: 5,
    cachedInput: 0.1,
    cacheWrite: 1.25,
  });
});

it('a snapshot that costs something else has its own price', () => {
  expect(priceOf({ provider: 'openai', modelId: 'gpt-4o-2024-05-13' }, { now })?.input).toBe(5);
  expect(priceOf({ provider: 'openai', modelId: 'gpt-4o-2024-08-06' }, { now })?.input).toBe(2.5);
});

it('an announced price holds from its day on', () => {
  const model = { provider: 'google', modelId: 'gemini-3.8-flash' } as const;
  expect(priceOf(model, { now })).toEqual({ input: 0.75, output: 3.75, cachedInput: 0.075 });
  const later = priceOf(model, { now: new Date('2027-01-01T00:00:00.000Z') });
  expect(later).toMatchObject({ input: 1.5, output: 7.5 });
});

it.each([
  ['openai', 'gpt-5-mini-2'],
  ['openai', 'gpt-5-turbo'],
  ['azure', 'gpt-5-mini'],
  ['ollama', 'constructor'],
  ['openai', '__proto__'],
] as const)('the price of %s/%s is unknown, not zero', (provider, modelId) => {
  expect(priceOf({ provider, modelId }, { now })).toBeUndefined();
});

it('a price in the settings replaces the list price', () => {
  const configured = { 'openai/gpt-5': { input: 1, output: 1 }, 'ollama/qwen3': { input: 0, output: 0 } };
  const of = (model: Parameters<typeof priceOf>[0]) => priceOf(model, { configured, now });
  expect(of({ provider: 'openai', modelId: 'gpt-5' })).toEqual({ input: 1, output: 1 });
  expect(of({ provider: 'ollama', modelId: 'qwen3' })).toEqual({ input: 0, output: 0 });
});

it('a long prompt has the rates of long prompts', () => {
  const price = { input: 1, output: 2, long: { above: 1000, input: 3, output: 4 } };
  expect(ratesOf(price, 1000)).toMatchObject({ input: 1, output: 2 });
  expect(ratesOf(price, 1001)).toMatchObject({ input: 3, output: 4 });
});

it('a call costs what its fresh, cached and written tokens and its answer cost', () => {
  const price: ModelPrice = { input: 10, output: 100, cachedInput: 1, cacheWrite: 20 };
  const call = { prompt: 1000, answer: 10 };
  expect(costOfCall(price, call)).toBeCloseTo(0.011, 10);
  expect(costOfCall(price, { ...call, cached: { read: 600, written: 100 } })).toBeCloseTo(0.0066, 10);
  expect(costOfCall(price, { ...call, cached: { read: 5000 } })).toBeCloseTo(0.002, 10);
  // A discount that is not known is none.
  expect(costOfCall({ input: 10, output: 100 }, { ...call, cached: { read: 600 } })).toBeCloseTo(0.011, 10);
});

it('every list names the page of its vendor and its day, and no cached token costs more than another', () => {
  for (const { source, asOf, models } of listPrices) {
    expect(source).toMatch(/^https:\/\//);
    expect(asOf).toMatch(/^2026-\d\d-\d\d$/);
    for (const { long, later, ...rates } of Object.values(models))
      for (const { input, output, cachedInput = 0 } of [rates, long ?? rates, later ?? rates]) {
        expect(output).toBeGreaterThan(input);
        expect(cachedInput).toBeLessThan(input);
      }
  }
});
