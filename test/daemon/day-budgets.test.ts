import { expect, it } from 'vitest';
import { startDaemon } from '../helpers/daemon.ts';
import { follow, testAdapter, until } from '../helpers/tasks.ts';

/** An agent that uses this many tokens, a thousand at a time, and says so each time. */
const spending = (tokens: number, type = 'test') =>
  testAdapter(
    async ({ spend, signal }) => {
      for (let used = 1000; used <= tokens; used += 1000) {
        signal.throwIfAborted();
        spend({ inputTokens: used, outputTokens: 0, costUsd: used / 1_000_000 });
      }
      signal.throwIfAborted();
      return { output: 'done', usage: { inputTokens: tokens, outputTokens: 0, totalTokens: tokens } };
    },
    { type },
  );
const body = { title: 'Spend', assignedAgent: 'test' };

it('ends a run with its call that uses up the budget of the day, and those after it before they begin', async () => {
  await using daemon = await startDaemon({
    flags: { 'limits.tokensPerDay': 5000 },
    extraAdapters: [spending(3000), spending(1000, 'other')],
  });
  const run = async (assignedAgent: string) => {
    const { task } = await daemon.client.tasks.create({ body: { ...body, assignedAgent, attached: true } });
    return (await follow(daemon.client, task.id)).task;
  };
  expect(await run('test')).toMatchObject({ status: 'completed' });
  expect(await run('test')).toMatchObject({
    status: 'failed',
    attempts: 1,
    error: { class: 'budget', code: 'day_budget', message: expect.stringContaining('5000 tokens') as string },
  });
  expect(await run('other')).toMatchObject({ status: 'failed', error: { code: 'day_budget' } });
});

it('holds for one agent, and defers a task that nobody follows until the next day', async () => {
  await using daemon = await startDaemon({
    flags: { 'agents.tokensPerDay': { test: 1000 } },
    extraAdapters: [spending(2000), spending(2000, 'other')],
  });
  const midnight = new Date();
  midnight.setUTCHours(24, 0, 0, 0);
  const { task } = await daemon.client.tasks.create({ body });
  const deferred = await until(async () => {
    const { task: now } = await daemon.client.tasks.get({ params: { id: task.id } });
    expect(now).toMatchObject({ status: 'queued', attempts: 0 });
    expect(now.scheduledFor).toBeDefined();
    return now;
  });
  expect(Date.parse(deferred.scheduledFor ?? '')).toBeGreaterThanOrEqual(midnight.getTime());
  const other = await daemon.client.tasks.create({ body: { ...body, assignedAgent: 'other' } });
  expect((await follow(daemon.client, other.task.id)).task.status).toBe('completed');
});

it('holds for the tasks of one API token, after a restart too', async () => {
  const extraAdapters = [spending(1000)];
  await using daemon = await startDaemon({ extraAdapters });
  const { token } = await daemon.client.tokens.create({
    body: { name: 'ci', scopes: ['tasks:write', 'tasks:read'], tokensPerDay: 1000 },
  });
  const send = async (url: string) => {
    const response = await fetch(`${url}/api/tasks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, attached: true }),
    });
    return ((await response.json()) as { task: { id: string } }).task.id;
  };
  const first = await send(daemon.url);
  expect((await follow(daemon.client, first)).task.status).toBe('completed');
  await daemon.stop();
  await using again = await startDaemon({ home: daemon.home, extraAdapters });
  const second = await send(again.url);
  expect((await follow(again.client, second)).task.error).toMatchObject({ code: 'day_budget' });
  const own = await again.client.tasks.create({ body });
  expect((await follow(again.client, own.task.id)).task.status).toBe('completed');
});
