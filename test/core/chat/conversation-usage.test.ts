import { expect, it } from 'vitest';
import { ann, openChat, patient } from './chat-parts.ts';

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

it('has the cost of all answers whose cost is known, and says when some are missing', async () => {
  const priced = { ...counted, cost_usd: 0.25 };
  expect(await usageOf(priced, priced)).toEqual({ ...sums, costUsd: 0.5 });
  expect(await usageOf(priced, counted)).toEqual({ ...sums, costUsd: 0.25, isCostPartial: true });
  expect(await usageOf(counted, counted)).toEqual(sums);
  const nothing = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, status: 'failed' };
  expect(await usageOf(priced, priced, nothing)).toMatchObject({ costUsd: 0.5 });
  expect(await usageOf(priced, priced, nothing)).not.toHaveProperty('isCostPartial');
});

it('an answer without a cost has that of its model, unless its prompts may have been long ones', async () => {
  const chat = await openChat({
    price: { input: 10, output: 100, long: { above: 50, input: 99, output: 99 } },
  });
  const { id } = await chat.conversations.create(ann, { title: 'T', presetId: 'assistant' });
  const answer = { role: 'assistant', content: 'Well', provider: 'openai', model: 'm' };
  await chat.conversations.append(ann, id, { ...answer, ...counted });
  expect((await chat.conversations.get(ann, id)).conversation.usage?.costUsd).toBeCloseTo(0.0006, 10);
  await chat.conversations.append(ann, id, { ...answer, ...counted, prompt_tokens: 60 });
  const { conversation, messages } = await chat.conversations.get(ann, id);
  expect(conversation.usage).toMatchObject({ isCostPartial: true });
  expect(messages.map(({ costUsd }) => costUsd === undefined)).toEqual([false, true]);
});

it('an answer without tools has the cost that its model has', async () => {
  const chat = await openChat({ price: { input: 10, output: 100 } });
  const { id } = await chat.conversations.create(ann, { title: 'T', presetId: 'assistant' });
  const { assistantMessage } = await chat.conversations.send(ann, id, { content: 'Hi' }, patient());
  // Three tokens in, two out.
  expect(assistantMessage.costUsd).toBeCloseTo(0.00023, 10);
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

it('the share of the context window follows a compaction', async () => {
  const chat = await openChat();
  const { id } = await chat.conversations.create(ann, { title: 'T', presetId: 'assistant' });
  const answer = { ...counted, context_tokens: 900, context_window: 1000 };
  await chat.conversations.append(ann, id, { role: 'assistant', content: 'Well', ...answer });
  const usage = async () => (await chat.conversations.get(ann, id)).conversation.usage;
  expect((await usage())?.context).toMatchObject({ share: 0.9 });
  await chat.database.write(({ db }) => chat.store.change(db, id, { summary: 'Short', summary_seq: 1 }));
  const { promptTokens, window } = (await usage())?.context ?? {};
  expect(promptTokens).toBeLessThan(300);
  expect(window).toBe(1000);
  await chat.conversations.append(ann, id, {
    role: 'assistant',
    content: 'More',
    ...answer,
    context_tokens: 400,
  });
  expect((await usage())?.context).toMatchObject({ promptTokens: 400 });
});
