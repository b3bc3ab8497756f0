import { expect, it, vi } from 'vitest';
import { createTaskSchema } from '../../src/contract/task.ts';
import { startLoopbackServer } from '../core/outbound/loopback-server.ts';
import { describeCluster, startCluster } from '../helpers/cluster.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { gatewayClient, manyRequests } from '../helpers/gateway.ts';
import { newPushBrowser, startPushService } from '../helpers/push-browser.ts';
import { failingAdapter, testAdapter } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const WAIT_MS = 30_000;
const EACH = 20;

async function twoDaemons() {
  const cluster = await startCluster(2, {
    flags: { ...manyRequests, 'outbound.allowPrivate': ['127.0.0.0/8'] },
    extraAdapters: [
      testAdapter(async () => ({ output: 'done' })),
      { ...failingAdapter('auth', 'Wrong key'), type: 'failing' },
    ],
  });
  const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
  return { a, b, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

describeCluster('what two daemons send', () => {
  it('reaches a browser once, whichever of them the task failed on', async () => {
    await using cluster = await twoDaemons();
    const { a, b } = cluster;
    await using service = await startPushService();
    const browser = newPushBrowser(`${service.url}/send/1`);
    const ann = await addUser(a, 'ann');
    await ann.client.push.subscribe({ body: { ...browser.subscription, kinds: ['failure'] } });
    const fail = async ({ app }: TestDaemon) => {
      const input = { title: 'Import', assignedAgent: 'failing' };
      return (await app.tasks.create(ann.caller, createTaskSchema.parse(input))).task.id;
    };
    const ids = await Promise.all(Array.from({ length: EACH }, () => [fail(a), fail(b)]).flat());
    const links = () => service.messages.map(({ body }) => browser.read(body).link);
    await vi.waitFor(() => expect(links().length).toBeGreaterThanOrEqual(ids.length), WAIT_MS);
    await vi.waitFor(async () => {
      const left = await a.app.database.read.selectFrom('push_messages').select('id').execute();
      expect(left).toEqual([]);
    }, WAIT_MS);
    expect(links().toSorted()).toEqual(ids.map((id) => `/tasks/${id}`).toSorted());
  });

  it('reaches a notifyUrl once, whichever of them took the request', async () => {
    await using cluster = await twoDaemons();
    await using receiver = await startLoopbackServer((response) => void response.writeHead(204).end());
    const clients = await Promise.all([gatewayClient(cluster.a), gatewayClient(cluster.b)]);
    const submit = async (client: (typeof clients)[number]) => {
      const task = { title: 'Report', assignedAgent: 'test' };
      return (await client.submit({ task, options: { notifyUrl: receiver.url } })).body.taskId ?? '';
    };
    const ids = await Promise.all(Array.from({ length: EACH }, () => clients.map(submit)).flat());
    await vi.waitFor(async () => {
      const stored = await cluster.a.app.database.read
        .selectFrom('notify_deliveries')
        .select('status')
        .execute();
      expect(stored.map(({ status }) => status)).toEqual(ids.map(() => 'delivered'));
    }, WAIT_MS);
    expect(receiver.requests.map(({ body }) => taskOf(body)).toSorted()).toEqual(ids.toSorted());
  });
});

const taskOf = (body: string) => (JSON.parse(body) as { payload: { taskId: string } }).payload.taskId;
