import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { Connections } from '../../../src/daemon/connections/connections.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

/** A server whose requests the test answers. */
async function listen() {
  const connections = new Connections({
    max: 10,
    perAddress: 10,
    trustedProxies: [],
    sweepMs: 1000,
    patience: { bodySweeps: 10, readSweeps: 10 },
  });
  const answers: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    answers.push(response);
    server.emit('asked');
  });
  servers.push(server);
  connections.watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<Socket> => {
    const accepted = once(server, 'connection');
    const socket = connect(port, '127.0.0.1');
    await accepted;
    return socket;
  };
  const ask = async (socket: Socket): Promise<ServerResponse> => {
    const asked = once(server, 'asked');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await asked;
    return answers.at(-1) as ServerResponse;
  };
  return { connections, server, port, open, ask };
}

it('answers what was asked and what an accepted connection is about to ask, and accepts no more', async () => {
  const { connections, server, port, open, ask } = await listen();
  const [asked, quiet] = [await open(), await open()];
  const answer = await ask(asked);
  let isFinished = false;
  const finished = connections.finish(server, 60_000).then(() => (isFinished = true));
  await expect.poll(() => server.listening).toBe(false);
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  (await ask(quiet)).setHeader('content-length', 2).end('ok');
  expect(await text(quiet)).toMatch(/200 OK[^]*ok$/);
  expect(isFinished).toBe(false);
  answer.setHeader('content-length', 2).end('ok');
  expect(await text(asked)).toMatch(/200 OK[^]*ok$/);
  await finished;
});

it('waits for no stream, and for nothing when the time is up', async () => {
  const { connections, server, open, ask } = await listen();
  (await ask(await open())).writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
  await connections.finish(server, 60_000);
  const late = await listen();
  await late.ask(await late.open());
  await late.connections.finish(late.server, 0);
});
