import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import Fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { livePath } from '../../src/contract/live-path.ts';
import { readServerSentEvents, type ServerSentEvent } from '../../src/contract/server-sent-events.ts';
import { EventStream, sendEventStream } from '../../src/daemon/event-stream.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { heldAdapter } from '../helpers/tasks.ts';

/** A server of one stream, which counts what it was asked for. */
async function serve(events: Iterable<ServerSentEvent>, stallMs: number) {
  const counts = { asked: 0, isOver: false };
  async function* counted() {
    try {
      for (const event of events) {
        counts.asked++;
        yield event;
      }
    } finally {
      counts.isOver = true;
    }
  }
  const server = Fastify({ forceCloseConnections: true });
  server.get('/', (_, reply) => sendEventStream(reply, new EventStream(counted()), { stallMs }));
  const url = await server.listen({ port: 0 });
  return { url, counts, [Symbol.asyncDispose]: () => server.close() };
}

it('a reader that takes nothing is cut off, and is read no further for', async () => {
  const events = Array.from({ length: 10_000 }, (_, at) => ({ id: `${at}`, data: 'x'.repeat(20_000) }));
  await using server = await serve(events, 50);
  const asking = request(server.url);
  asking.end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  response.pause();
  await vi.waitFor(() => expect(server.counts.isOver).toBe(true), { timeout: 20_000 });
  // What the buffers of both ends took.
  expect(server.counts.asked).toBeLessThan(2000);
  asking.destroy();
});

it('a long event arrives whole, in whatever pieces it was written', async () => {
  const data = `${'a'.repeat(64 * 1024 - 7)}${'😀é'.repeat(50_000)}`;
  await using server = await serve([{ id: '1', data }, { data: 'end' }], 60_000);
  const { body } = await fetch(server.url);
  const received: ServerSentEvent[] = [];
  if (body) for await (const event of readServerSentEvents(body)) received.push(event);
  expect(received).toEqual([{ id: '1', data }, { data: 'end' }]);
});

const openStream = async (daemon: TestDaemon, id: string) => {
  const controller = new AbortController();
  const response = await fetch(`${daemon.url}/api/tasks/${id}/events`, {
    headers: { ...daemon.headers, accept: 'text/event-stream' },
    signal: controller.signal,
  });
  return { response, close: () => controller.abort() };
};
const openLive = (daemon: TestDaemon) =>
  new Promise<{ status: number; socket: WebSocket }>((resolve) => {
    const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}${livePath}`, {
      headers: daemon.headers,
    });
    socket.on('error', () => undefined);
    socket.once('open', () => resolve({ status: 101, socket }));
    socket.once('unexpected-response', (asked, { statusCode = 0 }) => {
      asked.socket?.resetAndDestroy();
      resolve({ status: statusCode, socket });
    });
  });

it('a user may have 32 streams open, of events and of the live feed together', async () => {
  await using daemon = await startDaemon({ extraAdapters: [heldAdapter().adapter] });
  const { task } = await daemon.client.tasks.create({ body: { title: 'Wait', assignedAgent: 'test' } });
  const streams = [];
  for (let at = 0; at < 30; at++) streams.push(await openStream(daemon, task.id));
  const live = [await openLive(daemon), await openLive(daemon)];
  expect(live.map(({ status }) => status)).toEqual([101, 101]);
  expect(streams.map(({ response }) => response.status)).toEqual(Array.from({ length: 30 }, () => 200));
  const refused = await openStream(daemon, task.id);
  expect(refused.response.status).toBe(429);
  expect(refused.response.headers.get('retry-after')).toBe('5');
  expect(await refused.response.json()).toMatchObject({ error: expect.stringContaining('32 open streams') });
  expect((await openLive(daemon)).status).toBe(429);
  // Whatever is read at once is no stream.
  expect((await daemon.client.tasks.listEvents({ params: { id: task.id } })).count).toBeGreaterThan(0);
  streams[0]?.close();
  live[0]?.socket.terminate();
  await vi.waitFor(async () => expect((await openLive(daemon)).status).toBe(101), 20_000);
  await vi.waitFor(async () => expect((await openStream(daemon, task.id)).response.status).toBe(200), 20_000);
  for (const { socket } of live) socket.terminate();
});
