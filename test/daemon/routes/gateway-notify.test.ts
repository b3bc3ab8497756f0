import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { Flags } from '../../../src/core/config/config.ts';
import { type Runtime, systemRuntime } from '../../../src/core/runtime.ts';
import { type LoopbackServer, startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { startDaemon, type TestDaemonOptions } from '../../helpers/daemon.ts';
import { gatewayClient, manyRequests } from '../../helpers/gateway.ts';
import { failingAdapter, follow, heldAdapter, testAdapter, until } from '../../helpers/tasks.ts';

const quick = testAdapter(async () => ({ output: 'the report' }));
const failing = { ...failingAdapter('auth', 'Wrong key'), type: 'failing' };
const held = heldAdapter({ type: 'held' });
const task = { title: 'Report', assignedAgent: 'test' };
const flags: Flags = { ...manyRequests, 'outbound.allowPrivate': ['127.0.0.0/8'] };

const daemonWith = (options: TestDaemonOptions = {}) =>
  startDaemon({
    extraAdapters: [quick, failing, held.adapter],
    ...options,
    flags: { ...flags, ...options.flags },
  });
type Daemon = Awaited<ReturnType<typeof daemonWith>>;

const deliveries = ({ app }: Daemon) =>
  app.database.read.selectFrom('notify_deliveries').selectAll().orderBy('id').execute();
const received = (server: LoopbackServer, count: number) =>
  until(() => {
    expect(server.requests).toHaveLength(count);
    return server.requests;
  });

/** A clock that the test sets ahead. */
function clock() {
  let ahead = 0;
  const runtime: Runtime = { ...systemRuntime, now: () => new Date(Date.now() + ahead) };
  return { runtime, advance: (ms: number) => (ahead += ms) };
}

describe('the notification to a notifyUrl', () => {
  it.each([
    ['completed', { result: { output: 'the report', duration: expect.any(Number) } }],
    ['failed', { error: { class: 'auth', code: 'test', message: 'Wrong key' } }],
    ['cancelled', {}],
  ])('notifies the notifyUrl once of a task that is %s, with a signature', async (status, outcome) => {
    await using server = await startLoopbackServer((response) => response.writeHead(204).end());
    await using daemon = await daemonWith();
    const { token, notifySecret = '' } = await daemon.client.tokens.create({
      body: { name: 'ci', scopes: ['gateway:write'] },
    });
    const agent = { completed: 'test', failed: 'failing', cancelled: 'held' }[status];
    const client = await gatewayClient(daemon);
    const { body } = await client.submit(
      {
        task: { ...task, assignedAgent: agent },
        options: { notifyUrl: `${server.url}/hook?for=me` },
      },
      { headers: { authorization: `Bearer ${token}` } },
    );
    const { requestId = '', taskId = '' } = body;
    if (status === 'cancelled') await daemon.client.tasks.cancel({ params: { id: taskId } });
    const [request] = await received(server, 1);
    expect(request).toMatchObject({
      method: 'POST',
      path: '/hook?for=me',
      headers: { 'content-type': 'application/json', 'user-agent': expect.stringMatching(/^svc\//) },
    });
    const headers = request?.headers as Record<string, string>;
    const said = new Webhook(notifySecret).verify(request?.body ?? '', headers);
    expect(said).toMatchObject({
      id: headers['webhook-id'],
      event: `task.${status}`,
      payload: { id: taskId, title: 'Report', requestId, taskId, status, ...outcome },
    });
    const { task: stored } = await follow(daemon.client, taskId);
    expect(said).toMatchObject({ timestamp: stored.completedAt });
    await until(async () => expect(await deliveries(daemon)).toMatchObject([{ status: 'delivered' }]));
    expect(server.requests).toHaveLength(1);
  });

  it('the next process retries a notification with the same id and body', async () => {
    let isWell = false;
    await using server = await startLoopbackServer((response) =>
      response.writeHead(isWell ? 200 : 500).end(),
    );
    const time = clock();
    const { runtime } = time;
    const first = await daemonWith({ runtime });
    await (await gatewayClient(first)).submit({ task, options: { notifyUrl: server.url } });
    await until(async () => expect(await deliveries(first)).toMatchObject([{ attempts: 1 }]));
    await first.stop();

    time.advance(33_001);
    const second = await daemonWith({ runtime, home: first.home });
    await until(async () => expect(await deliveries(second)).toMatchObject([{ attempts: 2 }]));
    await second.stop();

    // Not due yet: the third attempt waits for five minutes.
    time.advance(60_000);
    isWell = true;
    const third = await daemonWith({ runtime, home: first.home });
    await third.stop();
    expect(server.requests).toHaveLength(2);

    time.advance(300_000);
    await using fourth = await daemonWith({ runtime, home: first.home });
    await until(async () =>
      expect(await deliveries(fourth)).toMatchObject([{ status: 'delivered', attempts: 3 }]),
    );
    const requests = await received(server, 3);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('notifies the notifyUrl of a task that finishes after a restart', async () => {
    await using server = await startLoopbackServer((response) => response.end());
    const first = await daemonWith();
    const { taskId = '' } = (
      await (
        await gatewayClient(first)
      ).submit({ task: { ...task, assignedAgent: 'held' }, options: { notifyUrl: server.url } })
    ).body;
    const before = await held.startedFor(taskId);
    await first.stop();
    expect(before.run.signal.aborted).toBe(true);
    await using second = await daemonWith({ home: first.home });
    const again = await until(() => {
      const run = held.runs.findLast(({ run: { task: found } }) => found.id === taskId);
      if (!run || run === before) throw new Error('not yet');
      return run;
    });
    again.succeed('after all');
    const [request] = await received(server, 1);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ payload: { result: { output: 'after all' } } });
    await until(async () => expect(await deliveries(second)).toMatchObject([{ status: 'delivered' }]));
  });

  it('a slow notifyUrl does not delay others', async () => {
    await using slow = await startLoopbackServer(() => undefined);
    await using prompt = await startLoopbackServer((response) => response.end());
    await using daemon = await daemonWith();
    const client = await gatewayClient(daemon);
    for (let count = 0; count < 20; count++) await client.submit({ task, options: { notifyUrl: slow.url } });
    await received(slow, 2);
    for (let count = 0; count < 5; count++) await client.submit({ task, options: { notifyUrl: prompt.url } });
    await received(prompt, 5);
    expect(slow.requests).toHaveLength(2);
  });

  const faults: [string, Parameters<typeof startLoopbackServer>[0], object][] = [
    [
      'leads elsewhere',
      (response) => response.writeHead(307, { location: '/secret' }).end(),
      { last_status: 307, last_error: 'The receiver answered 307' },
    ],
    ['closes the connection', (response) => response.destroy(), { last_status: null }],
    [
      'says too much',
      (response) => response.end('x'.repeat(70_000)),
      { last_status: null, last_error: 'The answer is longer than 65536 bytes' },
    ],
  ];
  it.each(faults)('retries a notifyUrl that %s', async (_, answer, seen) => {
    await using server = await startLoopbackServer(answer);
    await using daemon = await daemonWith();
    const client = await gatewayClient(daemon);
    await client.submit({ task, options: { notifyUrl: server.url } });
    await until(async () =>
      expect(await deliveries(daemon)).toMatchObject([{ status: 'due', attempts: 1, ...seen }]),
    );
    expect(server.requests).toHaveLength(1);
  });

  it('sends nothing to a notifyUrl whose name resolves to a private address', async () => {
    await using server = await startLoopbackServer((response) => response.end());
    await using daemon = await daemonWith({ flags: { 'outbound.allowPrivate': [] } });
    const client = await gatewayClient(daemon);
    const { status } = await client.submit({
      task,
      options: { notifyUrl: `http://localhost:${server.port}/` },
    });
    expect(status).toBe(202);
    await until(async () =>
      expect(await deliveries(daemon)).toMatchObject([
        { attempts: 1, last_error: expect.stringContaining('not a public address') },
      ]),
    );
    expect(server.requests).toEqual([]);
  });

  it('notifies the notifyUrl once for a repeated request', async () => {
    await using server = await startLoopbackServer((response) => response.end());
    await using daemon = await daemonWith();
    const client = await gatewayClient(daemon);
    const body = { task, options: { notifyUrl: server.url } };
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => client.submit(body, { key: 'once' })),
    );
    await client.ended(answers[0]?.body.requestId ?? '');
    await until(async () => expect(await deliveries(daemon)).toMatchObject([{ status: 'delivered' }]));
    expect(server.requests).toHaveLength(1);
  });

  it('sends no notifications for a revoked token', async () => {
    await using server = await startLoopbackServer((response) => response.end());
    await using daemon = await daemonWith();
    const client = await gatewayClient(daemon);
    const { body } = await client.submit({
      task: { ...task, assignedAgent: 'held' },
      options: { notifyUrl: server.url },
    });
    const { succeed } = await held.startedFor(body.taskId ?? '');
    await daemon.client.tokens.revoke({ params: { id: client.tokenId } });
    succeed();
    await until(async () =>
      expect(await deliveries(daemon)).toMatchObject([
        { status: 'failed', attempts: 0, last_error: 'The token is no longer valid' },
      ]),
    );
    expect(server.requests).toEqual([]);
  });
});
