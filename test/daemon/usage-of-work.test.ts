import { expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { GitRepository } from '../helpers/git-repository.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools } from '../helpers/model-server.ts';
import { follow, testAdapter } from '../helpers/tasks.ts';

const rowsOf = async ({ app }: TestDaemon) => {
  await app.usage.idle();
  return app.database.read.selectFrom('usage').selectAll().execute();
};
const perCall = { input_tokens: 11, output_tokens: 7, cost_usd: 25e-6, unknown_calls: 0 };
const priced = { 'models.prices': { 'ollama/test-model': { input: 1, output: 2 } } };

it('counts each call of a task of the built-in agent once, with its repository', async () => {
  await using running = await startModelDaemon(
    { flags: priced },
    callsTools([[{ name: 'list_files', args: {} }], [{ name: 'list_files', args: {} }]]),
  );
  const { daemon } = running;
  const repository = new GitRepository();
  repository.git('remote', 'add', 'origin', 'https://ann:secret@github.com/acme/shop.git');
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Look', cwd: repository.root, assignedAgent: 'builtin' },
  });
  const { task: done } = await follow(daemon.client, task.id);
  expect(done).toMatchObject({ status: 'completed', result: { usage: { totalTokens: 54 } } });
  const rows = await rowsOf(daemon);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    agent: 'builtin',
    provider: 'ollama',
    model: 'test-model',
    repository: 'acme/shop',
    task_id: task.id,
    calls: 3,
    input_tokens: 33,
    output_tokens: 21,
    unknown_calls: 0,
  });
  expect(rows[0]?.cost_usd).toBeCloseTo(75e-6, 12);
});

it('counts what an agent reports of itself, at once and at its end', async () => {
  await using daemon = await startDaemon({
    extraAdapters: [
      testAdapter(async ({ spend }) => {
        spend({ inputTokens: 100, outputTokens: 10, model: 'm' });
        spend({ inputTokens: 200, outputTokens: 20, costUsd: 0.25, model: 'm' });
        return { output: '', cost: '0.25', usage: { inputTokens: 200, outputTokens: 20, totalTokens: 220 } };
      }),
      testAdapter(async () => ({ output: '', usage: { inputTokens: 5, outputTokens: 1, totalTokens: 6 } }), {
        type: 'other',
      }),
    ],
  });
  for (const assignedAgent of ['test', 'other']) {
    const { task } = await daemon.client.tasks.create({
      body: { title: 'T', assignedAgent, repository: 'acme/api' },
    });
    await follow(daemon.client, task.id);
  }
  expect((await rowsOf(daemon)).sort((a, b) => a.agent.localeCompare(b.agent))).toMatchObject([
    { agent: 'other', repository: 'acme/api', input_tokens: 5, calls: 1, cost_usd: 0, unknown_calls: 1 },
    {
      agent: 'test',
      model: 'm',
      input_tokens: 200,
      output_tokens: 20,
      calls: 2,
      cost_usd: 0.25,
      unknown_calls: 0,
    },
  ]);
});

it('counts completions, messages with and without tools, and summaries, for the token that sent them', async () => {
  await using running = await startModelDaemon({ flags: priced });
  const { daemon } = running;
  const { client } = daemon;
  await client.chat.createQuickCompletion({ body: { prompt: 'Hi' } });
  await client.chat.createCompletion({ body: { messages: [{ role: 'user', content: 'Hi' }] } });
  const { conversation } = await client.conversations.create({ body: {} });
  const params = { id: conversation.id };
  await client.conversations.sendMessage({ params, body: { content: 'Hi' } });
  await client.conversations.sendMessageWithTools({ params, body: { content: 'Hi' } });
  await client.conversations.compact({ params, body: {} });
  const rows = await rowsOf(daemon);
  expect(Object.fromEntries(rows.map(({ conversation_id, calls }) => [conversation_id, calls]))).toEqual({
    '': 2,
    [conversation.id]: 3,
  });
  for (const row of rows) expect(row.cost_usd).toBeCloseTo(perCall.cost_usd * row.calls, 12);
});
