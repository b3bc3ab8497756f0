import { expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { heldAdapter } from '../../helpers/tasks.ts';

/** A stream that stays open: its connection is in use. */
async function openStream(daemon: TestDaemon, id: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${daemon.url}/api/tasks/${id}/events`, {
    headers: { ...daemon.headers, ...headers, accept: 'text/event-stream' },
  });
  return response.status;
}
const start = async ({ client }: TestDaemon) =>
  (await client.tasks.create({ body: { title: 'Wait', assignedAgent: 'test' } })).task.id;
const get = async (daemon: TestDaemon, path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${daemon.url}${path}`, { headers: { ...daemon.headers, ...headers } });
  return { status: response.status, headers: response.headers, body: await response.json() };
};

it('a daemon without a free connection reports its health, and refuses everything else for a while', async () => {
  await using daemon = await startDaemon({
    flags: { 'server.maxConnections': 16 },
    extraAdapters: [heldAdapter().adapter],
  });
  const id = await start(daemon);
  for (let at = 0; at < 16; at++) expect(await openStream(daemon, id)).toBe(200);
  for (const path of ['/api/health', '/api/health/ready']) {
    const answer = await get(daemon, path);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.headers.get('connection')).toBe('close');
  }
  for (const path of ['/api/tasks', '/api/health/detailed', '/api/nothing']) {
    const answer = await get(daemon, path);
    expect(answer, path).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining('Too many connections') },
    });
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

it('limits each client of a trusted proxy, and not the proxy', async () => {
  await using daemon = await startDaemon({
    flags: { 'server.trustedProxies': ['127.0.0.1'], 'server.maxConnectionsPerAddress': 2 },
    extraAdapters: [heldAdapter().adapter],
  });
  const id = await start(daemon);
  const from = (address: string) => ({ 'x-forwarded-for': address });
  for (let at = 0; at < 2; at++) expect(await openStream(daemon, id, from('203.0.113.1'))).toBe(200);
  const refused = await get(daemon, '/api/tasks', from('203.0.113.1'));
  expect(refused).toMatchObject({ status: 429, body: { error: expect.stringContaining('at once') } });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect((await get(daemon, '/api/tasks', from('203.0.113.2'))).status).toBe(200);
  // One IPv6 network is one client.
  for (let at = 0; at < 2; at++) expect(await openStream(daemon, id, from(`2001:db8::${at}`))).toBe(200);
  expect((await get(daemon, '/api/tasks', from('2001:db8::9'))).status).toBe(429);
  expect((await get(daemon, '/api/tasks', from('2001:db8:0:1::9'))).status).toBe(200);
});
