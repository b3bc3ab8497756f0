import { expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, startModelServer, useModel } from '../helpers/model-server.ts';
import { follow, testAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

/** An agent that uses 2000 tokens in each attempt. */
const spending = testAdapter(async ({ spend, signal }) => {
  for (const inputTokens of [1000, 2000]) {
    signal.throwIfAborted();
    spend({ inputTokens, outputTokens: 0 });
  }
  signal.throwIfAborted();
  return { output: 'done' };
});
const ask = (tokens: number) => ({
  budgets: [{ scope: 'all' as const, period: 'day' as const, tokens, onReached: 'ask' as const }],
});
const pendingOf = ({ client }: Pick<TestDaemon, 'client'>, but?: string) =>
  until(async () => {
    const { approvals } = await client.approvals.list();
    const [found] = approvals;
    if (!found || found.id === but) throw new Error('No one is asked yet');
    return found;
  });

it('lets a task wait for a person, who adds to the budget once, or stops it', async () => {
  await using daemon = await startDaemon({ flags: ask(1000), extraAdapters: [spending] });
  const { client } = daemon;
  const { task } = await client.tasks.create({ body: { title: 'T', assignedAgent: 'test' } });
  const first = await pendingOf(daemon);
  expect(first).toMatchObject({
    toolName: 'exceed_budget',
    taskId: task.id,
    params: { budget: 'the budget of the day', tokens: 1000, moreTokens: 500 },
  });
  // Half of it is more, which the 2000 of the first attempt have used already: it asks again.
  await client.approvals.decide({ params: { id: first.id }, body: { decision: 'allow-once' } });
  const second = await pendingOf(daemon, first.id);
  await client.approvals.decide({ params: { id: second.id }, body: { decision: 'deny' } });
  const { task: denied } = await follow(client, task.id);
  expect(denied).toMatchObject({ status: 'failed', error: { class: 'budget' } });
});

it('continues a task of the built-in agent where it was, after a restart too', async () => {
  await using model = await startModelServer(callsTools([[{ name: 'list_files', args: {} }]]));
  const daemon = await startDaemon({ flags: ask(1000) });
  await useModel(daemon, model);
  // What others used before.
  daemon.app.usage.record({
    usedBy: { userId: 'user_other' },
    provider: 'p',
    model: 'm',
    inputTokens: 999,
    outputTokens: 0,
    costUsd: undefined,
  });
  await daemon.app.usage.idle();
  const { task } = await daemon.client.tasks.create({ body: { title: 'Look', assignedAgent: 'builtin' } });
  const approval = await pendingOf(daemon);
  expect(model.asked).toHaveLength(1);
  await daemon.stop();
  await using second = await startDaemon({ home: daemon.home, flags: ask(1000) });
  const { client } = second;
  const again = await pendingOf(second);
  expect(again.id).toBe(approval.id);
  await client.approvals.decide({ params: { id: approval.id }, body: { decision: 'allow-once' } });
  const { task: done } = await follow(client, task.id);
  expect(done).toMatchObject({ status: 'completed', result: { usage: { totalTokens: 36 } } });
  expect(model.asked).toHaveLength(2);
  const { budgets } = await client.usage.listBudgets();
  expect(budgets).toMatchObject([{ tokens: 1500, usedTokens: 999 + 36, setBy: 'budgets' }]);
});

it('fails a task that a person does not let continue, and refuses messages', async () => {
  await using running = await startModelDaemon({ flags: ask(1000) });
  const { daemon } = running;
  daemon.app.usage.record({
    usedBy: { userId: 'user_other' },
    provider: 'p',
    model: 'm',
    inputTokens: 1000,
    outputTokens: 0,
    costUsd: undefined,
  });
  await daemon.app.usage.idle();
  const { task } = await daemon.client.tasks.create({ body: { title: 'T', assignedAgent: 'builtin' } });
  const approval = await pendingOf(daemon);
  await expect(daemon.client.chat.createQuickCompletion({ body: { prompt: 'Hi' } })).rejects.toMatchObject({
    status: 429,
  });
  await daemon.client.approvals.decide({ params: { id: approval.id }, body: { decision: 'deny' } });
  expect((await follow(daemon.client, task.id)).task).toMatchObject({
    status: 'failed',
    attempts: 1,
    error: { class: 'budget', code: 'budget_denied' },
  });
});

it('lets only administrators add to a budget that others use, too', async () => {
  await using daemon = await startDaemon({
    flags: ask(1000),
    extraAdapters: [spending],
  });
  const { client: admin } = daemon;
  const { client: user } = await addUser(daemon, 'ann');
  const { task } = await user.tasks.create({ body: { title: 'T', assignedAgent: 'test' } });
  const asked = await pendingOf({ client: user });
  expect(asked.params).toMatchObject({ decidedBy: 'administrators' });
  const allow = { params: { id: asked.id }, body: { decision: 'allow-once' } } as const;
  await expect(user.approvals.decide(allow)).rejects.toMatchObject({
    status: 403,
    message: 'Others use this budget, too: only an administrator can add to it',
  });
  await admin.approvals.decide(allow);
  const again = await pendingOf({ client: user }, asked.id);
  await user.approvals.decide({ params: { id: again.id }, body: { decision: 'deny' } });
  expect((await follow(user, task.id)).task).toMatchObject({ error: { class: 'budget' } });
});
