import { once } from 'node:events';
import { createConnection } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { LiveMessage } from '../../src/contract/live.ts';
import { livePath } from '../../src/contract/live-path.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { connectLive, tasksOf } from '../helpers/live-feed.ts';
import { failingAdapter, follow, heldAdapter, testAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.terminate();
});

/** The status with which a connection is refused. */
async function refusal(
  daemon: TestDaemon,
  headers: Record<string, string>,
  path = livePath,
): Promise<number> {
  const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}${path}`, { headers });
  open.push(socket);
  socket.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.socket?.resetAndDestroy();
      resolve(statusCode);
    });
    socket.once('open', () => reject(new Error('The connection was not refused')));
  });
}
const doing = testAdapter(async (run) => {
  run.emit({ type: 'output', message: 'hello' });
  return { output: 'done' };
});

describe('access to the live feed', () => {
  it('the live feed accepts a client with a session', async () => {
    await using daemon = await startDaemon();
    const { messages } = await connectLive(daemon);
    expect(messages[0]).toEqual({
      type: 'hello',
      at: expect.any(String),
      version: expect.stringMatching(/^\d+\.\d+/),
    });
    expect(await refusal(daemon, {})).toBe(401);
    expect(await refusal(daemon, { cookie: 'service_session=made-up' })).toBe(401);
  });

  it('the live feed rejects a page of another origin', async () => {
    await using daemon = await startDaemon();
    const { host } = new URL(daemon.url);
    expect(
      (await connectLive(daemon, { ...daemon.headers, origin: `http://${host}` })).messages[0]?.type,
    ).toBe('hello');
    for (const origin of ['http://evil.example', 'null', `https://${host}`, 'http://127.0.0.1:1'])
      expect(await refusal(daemon, { ...daemon.headers, origin }), origin).toBe(403);
    expect(await refusal(daemon, { ...daemon.headers, host: 'evil.example' })).toBe(403);
    expect(await refusal(daemon, { ...daemon.headers, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await refusal(daemon, daemon.headers, `${livePath}?token=x`)).toBe(400);
  });

  // Whoever is refused keeps the connection for as long as they like, and the daemon cannot stop while they do.
  it('a rejected client of the live feed does not delay the others', async () => {
    await using daemon = await startDaemon();
    const { hostname, port, host } = new URL(daemon.url);
    const socket = createConnection(Number(port), hostname);
    let isClosed = false;
    socket.on('close', () => (isClosed = true));
    const lines = [`GET ${livePath} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket'];
    socket.write(
      [...lines, 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${'A'.repeat(22)}==`, '', ''].join('\r\n'),
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString('utf8')).toContain('401 Unauthorized');
    await vi.waitFor(() => expect(isClosed).toBe(true), 20_000).finally(() => socket.resetAndDestroy());
  });

  it('the live feed rejects a plain HTTP request', async () => {
    await using daemon = await startDaemon();
    const response = await fetch(`${daemon.url}${livePath}`, { headers: daemon.headers });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/WebSocket/) });
  });
});

describe('events of the live feed', () => {
  it('an administrator receives every event of every task, in order', async () => {
    await using daemon = await startDaemon({ extraAdapters: [doing] });
    const { messages } = await connectLive(daemon);
    const ids: string[] = [];
    for (let index = 0; index < 10; index++)
      ids.push(
        (await daemon.client.tasks.create({ body: { title: `${index}`, assignedAgent: 'test' } })).task.id,
      );
    const followed = await Promise.all(ids.map((id) => follow(daemon.client, id)));
    const count = followed.reduce((sum, { events }) => sum + events.length, 0);
    await until(() => expect(tasksOf(messages)).toHaveLength(count));
    for (const { task, events } of followed) {
      const own = tasksOf(messages).filter((message) => message.task.id === task.id);
      expect(own.map(({ event }) => event)).toEqual(events);
      expect(own.at(-1)?.task).toMatchObject({ title: task.title, status: 'completed' });
    }
  });

  it('the live feed sends the state of the queue soon after it changes', async () => {
    await using daemon = await startDaemon();
    const { messages } = await connectLive(daemon);
    const last = () => messages.findLast((message) => message.type === 'queue');
    await daemon.client.queue.pause();
    await until(() => expect(last()).toMatchObject({ status: { paused: true } }));
    for (let index = 0; index < 30; index++)
      await daemon.client.tasks.create({ body: { title: `${index}` } });
    await until(() => expect(last()).toMatchObject({ status: { queues: { tasks: { pending: 30 } } } }));
    expect(await daemon.client.queue.getStatus()).toEqual(last()?.status);
    // Many changes of one moment are told together.
    expect(messages.filter(({ type }) => type === 'queue').length).toBeLessThan(30);
  });

  it('the live feed sends each notification only to its user', async () => {
    await using daemon = await startDaemon({ extraAdapters: [failingAdapter('auth', 'No entry')] });
    const ann = await addUser(daemon, 'ann');
    const [owners, anns] = [await connectLive(daemon), await connectLive(daemon, ann.headers)];
    const { task } = await ann.client.tasks.create({ body: { title: 'Fails', assignedAgent: 'test' } });
    await follow(ann.client, task.id);
    const notificationsOf = (messages: LiveMessage[]) =>
      messages.filter(({ type }) => type === 'notification');
    await until(() => expect(notificationsOf(anns.messages)).toHaveLength(1));
    expect(notificationsOf(anns.messages)[0]).toMatchObject({
      notification: { taskId: task.id, message: 'No entry' },
    });
    await until(() => expect(tasksOf(owners.messages)).toHaveLength(5));
    expect(notificationsOf(owners.messages)).toEqual([]);
  });

  it('a user receives only events of their own tasks', async () => {
    await using daemon = await startDaemon({ extraAdapters: [doing] });
    const [ann, bob] = [await addUser(daemon, 'ann'), await addUser(daemon, 'bob')];
    const [owners, anns] = [await connectLive(daemon), await connectLive(daemon, ann.headers)];
    const create = async (client: typeof ann.client) =>
      (await client.tasks.create({ body: { title: 'x', assignedAgent: 'test' } })).task.id;
    const ids = [await create(daemon.client), await create(bob.client), await create(ann.client)];
    for (const id of ids) await follow(daemon.client, id);
    await until(() => expect(tasksOf(owners.messages)).toHaveLength(15));
    await until(() => expect(tasksOf(anns.messages)).toHaveLength(5));
    expect(new Set(tasksOf(anns.messages).map(({ task }) => task.id))).toEqual(new Set([ids[2]]));
    expect(new Set(tasksOf(owners.messages).map(({ task }) => task.id))).toEqual(new Set(ids));
  });
});

describe('a client of the live feed', () => {
  it('disconnects a client that does not read, and keeps the others', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const [slow, quick] = [await connectLive(daemon), await connectLive(daemon)];
    slow.socket.pause();
    const { task } = await daemon.client.tasks.create({ body: { title: 'Loud', assignedAgent: 'test' } });
    const { run, succeed } = await held.started(0);
    await until(() => expect(tasksOf(quick.messages)).toHaveLength(3));
    const text = 'x'.repeat(100_000);
    // More than the buffers of both ends can hold.
    for (let round = 1; round <= 200; round++) {
      run.emit({ type: 'output', message: text });
      await until(() => expect(tasksOf(quick.messages).length).toBeGreaterThanOrEqual(3 + round));
    }
    const seen = tasksOf(slow.messages).length;
    slow.socket.resume();
    expect(await slow.closed).toBe(1013);
    expect(tasksOf(slow.messages).length).toBeGreaterThanOrEqual(seen);
    expect(tasksOf(slow.messages).length).toBeLessThan(tasksOf(quick.messages).length);
    succeed();
    await follow(daemon.client, task.id);
    await until(() => expect(tasksOf(quick.messages).at(-1)?.event.type).toBe('completed'));
    expect(tasksOf(quick.messages).map(({ event }) => event.seq)).toEqual(
      Array.from({ length: 204 }, (_, index) => index + 1),
    );
  });

  it('disconnects a client that sends too much', async () => {
    await using daemon = await startDaemon();
    const { socket, closed } = await connectLive(daemon);
    socket.send('x'.repeat(5000));
    expect(await closed).toBe(1009);
  });

  it('a client that disconnects leaves no resources behind', async () => {
    await using daemon = await startDaemon({ extraAdapters: [doing] });
    for (let index = 0; index < 5; index++) {
      const { socket, closed } = await connectLive(daemon);
      socket.close();
      await closed;
    }
    const { task } = await daemon.client.tasks.create({ body: { title: 'x', assignedAgent: 'test' } });
    expect((await follow(daemon.client, task.id)).task.status).toBe('completed');
  });

  it('the live feed notifies its clients when the daemon stops', async () => {
    const daemon = await startDaemon();
    const { closed } = await connectLive(daemon);
    await daemon.stop();
    expect([1001, 1005, 1006]).toContain(await closed);
  });

  // The session is only looked at when the connection is made.
  it('a client receives nothing once its session is revoked or expired', async () => {
    await using daemon = await startDaemon();
    const ann = await addUser(daemon, 'ann');
    const { messages } = await connectLive(daemon, ann.headers);
    const owners = await connectLive(daemon);
    await ann.client.auth.logout();
    await daemon.app.tasks.create(ann.caller, {
      title: 'x',
      priority: 3,
      source: 'api',
      labels: [],
    });
    await until(() => expect(tasksOf(owners.messages)).toHaveLength(2));
    expect(tasksOf(messages)).toEqual([]);
  });
});

it('accepts WebSockets only at the path of the live feed', async () => {
  await using daemon = await startDaemon();
  for (const path of ['/api/tasks', '/api/health', '/', '/api/nothing']) {
    const status = await refusal(daemon, daemon.headers, path).catch((error: unknown) => error);
    expect(status, path).not.toBeInstanceOf(Error);
  }
  expect((await daemon.client.health.get()).status).toBe('ok');
});
