import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { type ModelDaemon, startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools } from '../helpers/model-server.ts';
import { openDoor } from '../helpers/openai-door.ts';
import { until } from '../helpers/tasks.ts';

const budget = (onReached: 'ask' | 'stop') => ({
  budgets: [{ scope: 'all' as const, period: 'day' as const, tokens: 1000, onReached }],
});
/** Counts tokens that others used. */
const use = async ({ daemon: { app } }: ModelDaemon, inputTokens: number) => {
  const usedBy = { userId: 'user_other' };
  app.usage.record({ usedBy, provider: 'p', model: 'm', inputTokens, outputTokens: 0, costUsd: undefined });
  await app.usage.idle();
};
const pending = async ({ daemon }: ModelDaemon) => (await daemon.client.approvals.list()).approvals;
const newConversation = async ({ daemon }: ModelDaemon) => ({
  id: (await daemon.client.conversations.create({ body: {} })).conversation.id,
});

/** Sends a message and decides on each question; answers all events. */
async function chat(running: ModelDaemon, decision: 'allow-once' | 'deny', params: { id: string }) {
  const { client } = running.daemon;
  const events: RunEvent[] = [];
  for await (const { data } of client.conversations.sendMessageWithToolsStream({
    params,
    body: { content: 'Hi', securityMode: 'full' },
  })) {
    events.push(data);
    if (data.type === 'approval:requested')
      await client.approvals.decide({ params: { id: data.data.approval.id }, body: { decision } });
  }
  return events;
}
const typesOf = (events: readonly RunEvent[]) => events.map(({ type }) => type);

let running: ModelDaemon;
afterEach(() => running[Symbol.asyncDispose]());

describe('a budget that asks', () => {
  beforeEach(async () => {
    running = await startModelDaemon({ flags: budget('ask') });
  });

  it('is a question in the chat, after whose answer the turn goes on', async () => {
    await use(running, 1000);
    const params = await newConversation(running);
    const events = await chat(running, 'allow-once', params);
    expect(events.find(({ type }) => type === 'approval:requested')?.data).toMatchObject({
      approval: {
        toolName: 'exceed_budget',
        conversationId: params.id,
        params: { budget: 'the budget of the day', tokens: 1000, moreTokens: 500 },
        reason: expect.stringContaining('The budget of the day is used up'),
      },
    });
    const shown = typesOf(events).filter((type) => /^tool|^approval|^step:start|^complete/.test(type));
    expect(shown).toEqual([
      'tool:call',
      'approval:requested',
      'approval:decided',
      'tool:result',
      'step:start',
      'complete',
    ]);
    const { budgets } = await running.daemon.client.usage.listBudgets();
    expect(budgets).toMatchObject([{ tokens: 1500, usedTokens: 1018 }]);
    // Half of it is more, so the next message is not asked about.
    expect(typesOf(await chat(running, 'deny', params))).toContain('complete');
    expect(running.model.asked).toHaveLength(2);
  });

  it('ends the turn where a person denies more, and the model is not called', async () => {
    await use(running, 1000);
    const params = await newConversation(running);
    const events = await chat(running, 'deny', params);
    expect(events.at(-1)).toMatchObject({ type: 'error', data: { code: 'BUDGET_DENIED' } });
    expect(running.model.asked).toHaveLength(0);
    const { messages } = await running.daemon.client.conversations.get({ params });
    expect(messages).toMatchObject([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', status: 'interrupted', error: { code: 'BUDGET_DENIED' } },
    ]);
  });

  it('is looked at before each call of the model in a turn', async () => {
    const script = callsTools([[{ name: 'list_files', args: {} }]]);
    running.model.script = async (reply, asked) => {
      await use(running, 1000);
      return script(reply, asked);
    };
    const events = await chat(running, 'deny', await newConversation(running));
    expect(typesOf(events)).toContain('approval:requested');
    expect(running.model.asked).toHaveLength(1);
  });

  it('leaves no question behind when the turn is stopped', async () => {
    await use(running, 1000);
    const { conversations } = running.daemon.client;
    const params = await newConversation(running);
    for await (const { data } of conversations.sendMessageWithToolsStream({
      params,
      body: { content: 'Hi' },
    }))
      if (data.type === 'approval:requested') await conversations.stopTurn({ params });
    await until(async () => expect(await pending(running)).toEqual([]));
    expect(running.model.asked).toHaveLength(0);
  });

  it('lets a message without events wait for the decision', async () => {
    await use(running, 1000);
    const { client } = running.daemon;
    const params = await newConversation(running);
    const answer = client.conversations.sendMessage({ params, body: { content: 'Hi' } });
    await until(async () => expect(await pending(running)).toHaveLength(1));
    const [{ id } = { id: '' }] = await pending(running);
    await client.approvals.decide({ params: { id }, body: { decision: 'allow-once' } });
    expect((await answer).assistantMessage.content).toBe('Hello');
  });

  it('leaves one question to people at /v1, and names it', async () => {
    await use(running, 1000);
    const { client } = running.daemon;
    const door = await openDoor(running.daemon);
    const model = 'ollama/test-model';
    const refused = await door.chat(model);
    const [approval, more] = await pending(running);
    expect(more).toBeUndefined();
    expect(refused).toMatchObject({
      status: 429,
      body: {
        error: {
          code: 'insufficient_quota',
          message: expect.stringContaining(`svc approvals allow ${approval?.id}`),
        },
      },
    });
    expect((await door.chat(model)).status).toBe(429);
    expect(await pending(running)).toHaveLength(1);
    const params = { id: approval?.id ?? '' };
    await client.approvals.decide({ params, body: { decision: 'allow-once' } });
    expect((await door.chat(model)).status).toBe(200);
    expect(await pending(running)).toEqual([]);
    // The next question is denied, and stays so in this period.
    await use(running, 1000);
    expect((await door.chat(model)).status).toBe(429);
    const [second] = await pending(running);
    await client.approvals.decide({ params: { id: second?.id ?? '' }, body: { decision: 'deny' } });
    expect(await door.chat(model)).toMatchObject({
      status: 429,
      body: { error: { message: expect.stringContaining('A person did not raise it') } },
    });
    expect(await pending(running)).toEqual([]);
  });
});

it('a budget that stops ends a turn before the next call of the model', async () => {
  running = await startModelDaemon({ flags: budget('stop') });
  const script = callsTools([[{ name: 'list_files', args: {} }]]);
  running.model.script = async (reply, asked) => {
    await use(running, 1000);
    return script(reply, asked);
  };
  const events = await chat(running, 'allow-once', await newConversation(running));
  expect(events.at(-1)).toMatchObject({ type: 'error', data: { code: 'DAY_BUDGET' } });
  expect(running.model.asked).toHaveLength(1);
  expect(await pending(running)).toEqual([]);
});
