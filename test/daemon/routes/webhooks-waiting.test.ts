import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { AgentFailure } from '../../../src/core/agents/agent-adapter.ts';
import { type LoopbackServer, startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { callsTools } from '../../helpers/model-server.ts';
import { follow, testAdapter, until } from '../../helpers/tasks.ts';
import { allEvents, toldTo } from '../../helpers/webhooks.ts';

let receiver: LoopbackServer;
beforeAll(async () => {
  receiver = await startLoopbackServer((response) => response.writeHead(200).end());
});
afterEach(() => void (receiver.requests.length = 0));
afterAll(() => receiver[Symbol.asyncDispose]());

const flags = { 'outbound.allowPrivate': ['127.0.0.0/8'], 'queue.retry.backoff': 1 };

it('notifies of a wait when it begins and when its reason changes, not at each retry', async () => {
  const failures: ['network' | 'rate_limited', number][] = [
    ['network', 0],
    ['network', 0],
    ['rate_limited', 10],
    ['rate_limited', 10],
    ['network', 0],
  ];
  const adapter = testAdapter(async () => {
    const [failure, retryAfterMs] = failures.shift() ?? [];
    if (failure === undefined) return { output: 'done' };
    throw new AgentFailure(failure, 'x', `No: ${failure}`, { isOutage: true, retryAfterMs });
  });
  await using daemon: TestDaemon = await startDaemon({ extraAdapters: [adapter], flags });
  const body = { url: receiver.url, events: allEvents };
  const { webhook } = await daemon.client.webhooks.create({ body });
  const { task } = await daemon.client.tasks.create({ body: { title: 'Ask', assignedAgent: 'test' } });
  const { events } = await follow(daemon.client, task.id);
  const told = await toldTo(daemon, webhook.id, task.id);
  const isNews = [true, false, true, false, true];
  expect(told.map(([event]) => event)).toEqual([
    'task.created',
    ...isNews.flatMap((isNew) => ['agent.started', 'agent.finished', ...(isNew ? ['task.waiting'] : [])]),
    'agent.started',
    'agent.finished',
    'task.completed',
  ]);
  const retries = events.filter(({ type }) => type === 'retry_scheduled').map(({ data }) => data['at']);
  const wait = (reason: string, failure: string, until: unknown) => ({
    id: task.id,
    title: 'Ask',
    reason,
    message: `No: ${failure}`,
    until,
  });
  expect(told.filter(([event]) => event === 'task.waiting').map(([, payload]) => payload)).toStrictEqual([
    wait('outage', 'network', retries[0]),
    wait('limit', 'rate_limited', retries[2]),
    wait('outage', 'network', retries[4]),
  ]);
});

it('sends an approval to a topic in words, and its decision after it', async () => {
  await using world = await startModelDaemon({
    flags: { ...flags, 'server.baseUrl': 'https://svc.example' },
  });
  const { daemon, model } = world;
  const { client } = daemon;
  model.script = callsTools([[{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }]]);
  const events = ['approval.requested' as const, 'approval.decided' as const, 'task.waiting' as const];
  await client.webhooks.create({
    body: { url: `${receiver.url}/my-topic`, events, format: 'text', token: 'tk_1234567890' },
  });
  const { task } = await client.tasks.create({ body: { title: 'Écrire' } });
  await until(() => expect(receiver.requests).toHaveLength(1));
  const { approvals } = await client.approvals.list();
  const [approval] = approvals.filter(({ taskId }) => taskId === task.id);
  const { id = '', cwd = '' } = approval ?? {};
  await client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
  await until(() => expect(receiver.requests).toHaveLength(2));
  const [asked, decided] = receiver.requests;
  expect(asked).toMatchObject({
    method: 'POST',
    path: '/my-topic',
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      title: `=?UTF-8?B?${Buffer.from('Approval needed: Écrire').toString('base64')}?=`,
      priority: 'high',
      tags: 'raised_hand',
      click: `https://svc.example/approvals/${id}`,
      authorization: 'Bearer tk_1234567890',
      'x-service-event': 'approval.requested',
    },
  });
  expect(asked?.body).toMatch(/^Approve write_file: done\.txt, in \S+\nExpires at [^\n]*\d\d:\d\d \S+\.$/);
  expect(decided?.body).toMatch(/^Denied by .+: write_file: done\.txt, in \S+$/);
  expect(cwd).not.toBe('');
  await follow(client, task.id);
});
