import { expect, it } from 'vitest';
import { listPrices, priceOf, ratesOf } from '../../../src/core/providers/model-prices.ts';

it('a model has its list price, and so have its snapshots', () => {
  const price = { input: 0.25, output: 2 };
  expect(priceOf({ provider: 'openai', modelId: 'gpt-5-mini' })).toEqual(price);
  expect(priceOf({ provider: 'openai', modelId: 'gpt-5-mini-2026-08-07' })).toEqual(price);
  expect(priceOf({ provider: 'anthropic', modelId: 'claude-haiku-4-5-20251001' })).toEqual({
    input: 1,
    output: 5,
  });
});

it.each([
  ['openai', 'gpt-5-mini-2'],
  ['openai', 'gpt-5-turbo'],
  ['azure', 'gpt-5-mini'],
  ['ollama', 'constructor'],
  ['openai', '__proto__'],
] as const)('the price of %s/%s is unknown, not zero', (provider, modelId) => {
  expect(priceOf({ provider, modelId })).toBeUndefined();
});

it('a price in the settings replaces the list price', () => {
  const prices = { 'openai/gpt-5': { input: 1, output: 1 }, 'ollama/qwen3': { input: 0, output: 0 } };
  expect(priceOf({ provider: 'openai', modelId: 'gpt-5' }, prices)).toEqual({ input: 1, output: 1 });
  expect(priceOf({ provider: 'ollama', modelId: 'qwen3' }, prices)).toEqual({ input: 0, output: 0 });
});

it('a long prompt has the rates of long prompts', () => {
  const price = { input: 1, output: 2, long: { above: 1000, input: 3, output: 4 } };
  expect(ratesOf(price, 1000)).toEqual({ input: 1e-6, output: 2e-6 });
  expect(ratesOf(price, 1001)).toEqual({ input: 3e-6, output: 4e-6 });
});

it('every list names the page of its vendor', () => {
  for (const { source, models } of listPrices) {
    expect(source).toMatch(/^https:\/\//);
    for (const { input, output } of Object.values(models)) expect(output).toBeGreaterThan(input);
  }
});
