import { expect, it } from 'vitest';
import { startDaemon } from '../../helpers/daemon.ts';
import { gatewayClient } from '../../helpers/gateway.ts';
import { testAdapter, until } from '../../helpers/tasks.ts';

const extraAdapters = [testAdapter(async () => ({ output: '' }))];
const task = { title: 'Hello', assignedAgent: 'test' };

it('a token may poll the status beside its submissions, up to a limit of its own', async () => {
  const flags = { 'gateway.requestsPerMinute': 2, 'gateway.statusRequestsPerMinute': 20 };
  await using daemon = await startDaemon({ extraAdapters, flags });
  const client = await gatewayClient(daemon);
  const { body } = await client.submit({ task });
  const poll = async () => (await client.status(body.requestId ?? '')).httpStatus;
  for (let count = 0; count < 20; count++) expect(await poll()).toBe(200);
  expect(await poll()).toBe(429);
  expect((await client.submit({ task })).status).toBe(202);
  expect((await client.submit({ task })).status).toBe(429);
});

it('a token may poll 600 times a minute by default', async () => {
  await using daemon = await startDaemon({ extraAdapters });
  expect(daemon.app.config.get('gateway.statusRequestsPerMinute')).toBe(600);
});

it('a token has a limit per second, and another one has its own', async () => {
  const flags = { 'gateway.requestsPerSecond': 3, 'gateway.requestsPerMinute': 5 };
  await using daemon = await startDaemon({ extraAdapters, flags });
  // Again with another token where the machine needed more than their second for all of them.
  await until(async () => {
    const client = await gatewayClient(daemon);
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.submit({ task })));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
  });
  expect((await (await gatewayClient(daemon)).submit({ task })).status).toBe(202);
});
