import { expect, it } from 'vitest';
import { costOf } from '../../../src/core/providers/call-cost.ts';
import { ModelMetrics } from '../../../src/core/metrics/model-metrics.ts';

const usage = { promptTokens: 2, completionTokens: 3 };

it('counts models beyond the first 200 together, and those with long names', () => {
  const metrics = new ModelMetrics(() => 0);
  metrics.begin({ provider: 'openai', modelId: 'x'.repeat(101) })({ usage });
  for (let count = 0; count < 300; count++)
    metrics.begin({ provider: 'openai', modelId: `m${count}` })({ usage });
  metrics.begin({ provider: 'openai', modelId: 'm7' })({ usage });
  const prompts = metrics.tokens.samples().filter(([labels]) => labels['kind'] === 'prompt');
  expect(prompts).toHaveLength(201);
  expect(prompts).toContainEqual([{ provider: 'openai', model: 'other', kind: 'prompt' }, 202]);
  expect(prompts).toContainEqual([{ provider: 'openai', model: 'm7', kind: 'prompt' }, 4]);
});

it('adds up the cost that OpenRouter reports', () => {
  const metrics = new ModelMetrics(() => 0);
  for (const cost of [0.001, 0.002]) {
    const costUsd = costOf({ openrouter: { provider: 'x', usage: { cost } } });
    metrics.begin({ provider: 'openrouter', modelId: 'a/b' })({ usage, costUsd });
  }
  metrics.begin({ provider: 'openai', modelId: 'c' })({ usage, costUsd: costOf({ openai: {} }) });
  expect(metrics.costUsd.samples()).toEqual([[{ provider: 'openrouter', model: 'a/b' }, 0.003]]);
});
