import { describe, expect, it } from 'vitest';
import { gatewayClient } from '../../helpers/gateway.ts';
import { startDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { startModelServer, useModel } from '../../helpers/model-server.ts';

const unknown = 'tset-model is not a model of ollama. Did you mean test-model?';

describe('a task for a model', () => {
  it('is refused if the provider has no such model', async () => {
    await using world = await startModelDaemon();
    const { client } = world.daemon;
    const refusal = { status: 400, message: unknown, details: [{ path: 'model', message: unknown }] };
    const task = { title: 'Hi', model: 'tset-model' };
    await expect(client.tasks.create({ body: task })).rejects.toMatchObject(refusal);
    await expect(
      client.tasks.create({ body: { title: 'Hi', model: 'ollama/tset-model' } }),
    ).rejects.toMatchObject(refusal);
    await expect(client.schedules.create({ body: { cron: '0 9 * * *', task } })).rejects.toMatchObject(
      refusal,
    );
    await expect(
      client.providers.setDefault({ body: { provider: 'ollama', model: 'tset-model' } }),
    ).rejects.toMatchObject(refusal);
    expect((await client.tasks.list()).total).toBe(0);
    const { schedule } = await client.schedules.create({
      body: { cron: '0 9 * * *', task: { title: 'Hi', model: 'test-model' } },
    });
    const change = client.schedules.update({ params: { id: schedule.id }, body: { task } });
    await expect(change).rejects.toMatchObject(refusal);
  });

  it('is refused at the gateway too', async () => {
    await using world = await startModelDaemon();
    const gateway = await gatewayClient(world.daemon);
    const answer = await gateway.submit({ task: { title: 'Hi', model: 'tset-model' } });
    expect(answer).toMatchObject({ status: 400, body: { error: unknown } });
  });

  it('is created with a warning if its provider is not configured, and waits', async () => {
    await using world = await startModelDaemon();
    const { client } = world.daemon;
    const { warnings } = await client.tasks.create({ body: { title: 'Hi', provider: 'openai' } });
    expect(warnings).toEqual([
      'openai is not configured: it needs a key. Configure it: svc providers configure openai',
    ]);
  });

  it('is refused for a provider that does not exist', async () => {
    await using world = await startModelDaemon();
    const message = 'There is no model provider "olama". Did you mean ollama?';
    await expect(
      world.daemon.client.tasks.create({ body: { title: 'Hi', provider: 'olama' } }),
    ).rejects.toMatchObject({ status: 400, message, details: [{ path: 'provider', message }] });
  });
});

describe('a task that a client follows', () => {
  it('is refused while nothing can run it', async () => {
    await using daemon = await startDaemon();
    const missing =
      'The agent "builtin" is not configured: it needs a model provider: svc providers configure openai';
    const { client } = daemon;
    await expect(client.tasks.create({ body: { title: 'Hi', attached: true } })).rejects.toMatchObject({
      status: 400,
      details: [{ path: 'assignedAgent', message: missing }],
    });
    expect((await client.tasks.create({ body: { title: 'Hi' } })).warnings).toEqual([
      `The task waits for an agent. ${missing}`,
    ]);
  });

  it('is refused while its provider is not configured', async () => {
    await using world = await startModelDaemon();
    await expect(
      world.daemon.client.tasks.create({ body: { title: 'Hi', provider: 'openai', attached: true } }),
    ).rejects.toMatchObject({
      status: 400,
      details: [
        { path: 'provider', message: expect.stringContaining('svc providers configure openai') as string },
      ],
    });
  });
});

it('a task that is created while the queue is paused comes with a warning, to the same key again', async () => {
  await using world = await startModelDaemon();
  const { client } = world.daemon;
  await client.queue.pause();
  const body = { title: 'Hi', idempotencyKey: 'once' };
  const first = await client.tasks.create({ body });
  expect(first.warnings).toEqual([
    'The queue is paused, so this task waits. Resume it with: svc queue resume',
  ]);
  await client.queue.resume();
  expect(await client.tasks.create({ body })).toEqual(first);
  expect(await client.tasks.create({ body: { title: 'Hi' } })).not.toHaveProperty('warnings');
});

it('an error that trying again cannot help says nothing of when to try again', async () => {
  await using daemon = await startDaemon();
  const post = (body: object) =>
    fetch(`${daemon.url}/api/chat/quick`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...daemon.headers },
      body: JSON.stringify(body),
    });
  const lasting = await post({ prompt: 'Hi' });
  expect(lasting.status).toBe(503);
  expect(lasting.headers.get('retry-after')).toBeNull();
  const model = await startModelServer();
  await useModel(daemon, model);
  await model[Symbol.asyncDispose]();
  const passing = await post({ prompt: 'Hi', model: 'ollama/x' });
  expect(passing.status).toBe(503);
  expect(passing.headers.get('retry-after')).toBe('1');
});
