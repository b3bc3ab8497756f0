import { expect, it } from 'vitest';
import { ann, openChat } from './chat-parts.ts';

async function usageOf(...answers: object[]) {
  const chat = await openChat();
  const { id } = await chat.conversations.create(ann, { title: 'T', presetId: 'assistant' });
  for (const answer of answers)
    await chat.conversations.append(ann, id, { role: 'assistant', content: 'Well', ...answer });
  return (await chat.conversations.get(ann, id)).conversation.usage;
}
const counted = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const sums = { promptTokens: 20, completionTokens: 10, totalTokens: 30 };

it('is absent until a vendor has counted an answer', async () => {
  expect(await usageOf()).toBeUndefined();
  expect(await usageOf({ status: 'failed' }, {})).toBeUndefined();
});

it('is the sum of all answers, and says when some were not counted', async () => {
  expect(await usageOf(counted, counted)).toEqual(sums);
  expect(await usageOf(counted, { status: 'failed' }, counted)).toEqual(sums);
  expect(await usageOf(counted, {}, counted)).toEqual({ ...sums, isPartial: true });
});

it('has a cost only if every answer has a price', async () => {
  const priced = { ...counted, cost_usd: 0.25 };
  expect(await usageOf(priced, priced)).toEqual({ ...sums, costUsd: 0.5 });
  expect(await usageOf(priced, counted)).toEqual(sums);
});

it('has the share of the context window that the last request took, where the window is known', async () => {
  const small = { ...counted, context_tokens: 100, context_window: 1000 };
  expect(await usageOf(small, { ...small, context_tokens: 250 })).toEqual({
    ...sums,
    context: { promptTokens: 250, window: 1000, share: 0.25 },
  });
  expect(await usageOf(small, { ...counted, context_tokens: 300 })).toEqual({
    ...sums,
    context: { promptTokens: 300 },
  });
});
