import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { rawRequest, sendRaw } from '../helpers/raw-http.ts';
import { allRoutes, samplePath } from '../helpers/routes.ts';
import { heldAdapter } from '../helpers/tasks.ts';

const others = ['/', '/sign-in', '/theme.js', '/api/openapi.json', '/api/docs', '/metrics', '/api/live'];
const paths = [
  ...allRoutes.filter(({ route }) => route.method === 'GET').map(({ route }) => samplePath(route)),
  ...others,
];
/** Of headers that differ from one answer to the next only the name is compared. */
const changing = ['date', 'content-length', 'set-cookie', 'location', 'retry-after'];

const held = heldAdapter();
let daemon: TestDaemon;
let taskId: string;
beforeAll(async () => {
  daemon = await startDaemon({ extraAdapters: [held.adapter] });
  const { task } = await daemon.client.tasks.create({ body: { title: 'x', assignedAgent: 'test' } });
  taskId = task.id;
  await held.started(0);
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function send(method: 'GET' | 'HEAD', path: string, headers: Record<string, string>) {
  const { host } = new URL(daemon.url);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...lines];
  const answer = await sendRaw(daemon.url, rawRequest(head));
  // How the body is framed is of no use without one.
  const names = Object.keys(answer.headers).filter((name) => name !== 'transfer-encoding');
  const compared = names.sort().map((name) => [name, changing.includes(name) || answer.headers[name]]);
  return { ...answer, compared };
}

describe.each(paths)('HEAD %s', (path) => {
  it.each([
    ['the owner', () => daemon.headers],
    ['nobody', () => ({})],
    ['a made-up token', () => ({ authorization: `Bearer svc_${'A'.repeat(43)}` })],
  ])('answers %s with the status and headers of GET, and no body', async (_, headersOf) => {
    const get = await send('GET', path, headersOf());
    const head = await send('HEAD', path, headersOf());
    expect({ status: head.status, headers: head.compared }).toEqual({
      status: get.status,
      headers: get.compared,
    });
    expect(head.body).toBe('');
  });
});

it.each(['/', '/theme.js', '/api/openapi.json'])('gives the length of the body of %s', async (path) => {
  const get = await send('GET', path, {});
  const head = await send('HEAD', path, {});
  expect(head.headers['content-length']).toBe(get.headers['content-length']);
  expect(Number(head.headers['content-length'])).toBe(Buffer.byteLength(get.body));
});

it('answers the head of an event stream and closes it', async () => {
  const headers = { ...daemon.headers, accept: 'text/event-stream' };
  const head = await send('HEAD', `/api/tasks/${taskId}/events`, headers);
  expect(head).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: '' });
});

it('HEAD counts against the limit of GET', async () => {
  await using limited = await startDaemon({ flags: { 'limits.requestsPerMinute': 2 } });
  const url = `${limited.url}/api/health`;
  for (const method of ['GET', 'HEAD']) expect((await fetch(url, { method })).status).toBe(200);
  for (const method of ['GET', 'HEAD']) expect((await fetch(url, { method })).status).toBe(429);
});
