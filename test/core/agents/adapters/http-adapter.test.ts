import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Task } from '../../../../src/contract/task.ts';
import { startDaemon, type TestDaemonOptions } from '../../../helpers/daemon.ts';
import { follow, until } from '../../../helpers/tasks.ts';
import { type LoopbackServer, startLoopbackServer } from '../../outbound/loopback-server.ts';

const daemonFor = (server: Pick<LoopbackServer, 'url'>, flags: TestDaemonOptions['flags'] = {}) =>
  startDaemon({
    flags: { 'agents.http.url': `${server.url}/agent`, 'outbound.allowPrivate': ['127.0.0.0/8'], ...flags },
  });
type Daemon = Awaited<ReturnType<typeof daemonFor>>;

async function run(daemon: Daemon, body: { maxAttempts?: number } = {}) {
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Ask', prompt: 'What is it?', assignedAgent: 'http', ...body },
  });
  return follow(daemon.client, task.id);
}

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('a response of the agent', () => {
  it('uses a JSON response with its metadata as the result', async () => {
    const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };
    await using server = await startLoopbackServer((response) =>
      json(response, { output: 'forty-two', usage, cost: '0.01', artifacts: [{ name: 'a' }] }),
    );
    await using daemon = await daemonFor(server);
    const { task, events } = await run(daemon);
    expect(task).toMatchObject({ status: 'completed', agentType: 'http' });
    expect(task.result).toMatchObject({
      success: true,
      output: 'forty-two',
      usage,
      cost: '0.01',
      artifacts: [{ name: 'a' }],
    });
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/agent' });
    const sent = JSON.parse(request?.body ?? '') as { task: Task; attempt: number };
    expect(sent).toMatchObject({ attempt: 1, task: { id: task.id, prompt: 'What is it?' } });
    expect(events.map(({ message }) => message)).toContain(`Posting the task to ${new URL(server.url).host}`);
  });

  it.each([
    ['text', 'text/plain; charset=utf-8', 'plain words'],
    ['JSON of another shape', 'application/json', '{"answer":42}'],
    ['HTML', 'text/html', '<p>hello</p>'],
    ['nothing', 'text/plain', ''],
  ])('uses a response as the output where it is %s', async (_, type, text) => {
    await using server = await startLoopbackServer((response) =>
      response.writeHead(200, { 'content-type': type }).end(text),
    );
    await using daemon = await daemonFor(server);
    const { task } = await run(daemon);
    expect(task).toMatchObject({ status: 'completed', result: { output: text } });
  });
});

describe('a failure of the agent', () => {
  const answers: [string, (response: ServerResponse) => unknown, object][] = [
    ['400', (r) => r.writeHead(400).end('bad'), { class: 'invalid_input', code: 'http_400' }],
    ['401', (r) => r.writeHead(401).end(), { class: 'auth', code: 'http_401' }],
    ['402', (r) => r.writeHead(402).end(), { class: 'quota', code: 'http_402' }],
    ['403', (r) => r.writeHead(403).end(), { class: 'auth', code: 'http_403' }],
    [
      'a redirect',
      (r) => r.writeHead(302, { location: '/agent2' }).end(),
      { class: 'invalid_input', code: 'http_302' },
    ],
  ];
  it.each(answers)('does not retry a permanent failure: %s', async (_, answer, error) => {
    await using server = await startLoopbackServer((response) => void answer(response));
    await using daemon = await daemonFor(server);
    const { task } = await run(daemon);
    expect(task).toMatchObject({ status: 'failed', attempts: 1, error });
    expect(server.requests).toHaveLength(1);
  });

  const transient: [string, (response: ServerResponse) => unknown, object][] = [
    ['408', (r) => r.writeHead(408).end(), { class: 'timeout', code: 'http_408' }],
    ['429', (r) => r.writeHead(429).end(), { class: 'rate_limited', code: 'http_429' }],
    [
      '500',
      (r) => r.writeHead(500).end('oops'),
      { class: 'agent_error', code: 'http_500', message: 'The agent answered 500: oops' },
    ],
    ['503', (r) => r.writeHead(503).end(), { class: 'rate_limited', code: 'http_503' }],
    ['504', (r) => r.writeHead(504).end(), { class: 'timeout', code: 'http_504' }],
    ['a reset', (r) => r.destroy(), { class: 'network', code: 'network' }],
    [
      'a cut answer',
      (r) => r.writeHead(200, { 'content-length': 9 }).write('half', () => r.destroy()),
      { class: 'network', code: 'network' },
    ],
    [
      'broken JSON',
      (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{"output":'),
      { class: 'agent_error', code: 'bad_answer' },
    ],
    [
      'its own word',
      (r) => json(r, { success: false, output: 'so far', error: 'I cannot' }),
      { class: 'agent_error', code: 'unsuccessful', message: 'I cannot' },
    ],
    [
      'too much',
      (r) => r.writeHead(200).end('x'.repeat(3_000_000)),
      { class: 'agent_error', code: 'bad_answer' },
    ],
  ];
  it.each(transient)('retries a transient failure: %s', async (_, answer, error) => {
    await using server = await startLoopbackServer((response) => void answer(response));
    await using daemon = await daemonFor(server, { 'queue.retry.outage': 0 });
    const { task } = await run(daemon, { maxAttempts: 2 });
    expect(task).toMatchObject({ status: 'failed', attempts: 2, error });
    expect(server.requests).toHaveLength(2);
  });

  it('an agent that does not answer fails at the time limit', async () => {
    await using server = await startLoopbackServer(() => undefined);
    await using daemon = await daemonFor(server, { 'pool.timeoutMs': 200 });
    const { task } = await run(daemon, { maxAttempts: 1 });
    expect(task).toMatchObject({ status: 'failed', error: { class: 'timeout' } });
  });

  it('an unreachable agent is a network failure', async () => {
    const server = await startLoopbackServer(() => undefined);
    await server[Symbol.asyncDispose]();
    await using daemon = await daemonFor(server, { 'queue.retry.outage': 0 });
    const { task } = await run(daemon, { maxAttempts: 1 });
    expect(task.error).toMatchObject({ class: 'network' });
  });

  it('a forbidden address is a policy failure and not retried', async () => {
    await using server = await startLoopbackServer((response) => response.end('inside'));
    await using daemon = await daemonFor(server, { 'outbound.allowPrivate': [] });
    const { task } = await run(daemon);
    expect(task).toMatchObject({ attempts: 1, error: { class: 'policy_denied', code: 'address' } });
    expect(server.requests).toEqual([]);
    const byName = await daemonFor(
      { url: `http://localhost:${server.port}` },
      { 'outbound.allowPrivate': [] },
    );
    await using other = byName;
    expect((await run(other)).task.error).toMatchObject({ class: 'policy_denied' });
  });
});

describe('Retry-After', () => {
  it.each([
    ['seconds', () => '2', 2000],
    ['a date', () => new Date(Date.now() + 3_600_000).toUTCString(), 3_590_000],
    ['longer than a day, cut to one', () => '1000000', 86_400_000],
    ['nonsense', () => 'soon', 0],
    ['the past', () => new Date(0).toUTCString(), 0],
  ])('honours Retry-After: %s', async (_, value, atLeast) => {
    await using server = await startLoopbackServer((response) =>
      response.writeHead(429, { 'retry-after': value() }).end(),
    );
    await using daemon = await daemonFor(server);
    const { task } = await daemon.client.tasks.create({ body: { title: 'Ask', assignedAgent: 'http' } });
    const delay = await until(async () => {
      const { events } = await daemon.client.tasks.listEvents({ params: { id: task.id } });
      const waits = events.find(({ type }) => type === 'retry_scheduled')?.data['delayMs'];
      if (typeof waits !== 'number') throw new Error('not yet');
      return waits;
    });
    expect(delay).toBeGreaterThanOrEqual(atLeast);
    expect(delay).toBeLessThanOrEqual(atLeast + 10_000);
  });
});

describe('an agent that keeps failing', () => {
  it('opens the breaker after five faults, and tasks wait without using attempts', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(500).end());
    await using daemon = await daemonFor(server, { 'queue.concurrency': 1 });
    for (let count = 0; count < 5; count++) await run(daemon, { maxAttempts: 1 });
    // The health check asks with GET.
    const posts = () => server.requests.filter(({ method }) => method === 'POST').length;
    expect(posts()).toBe(5);
    const health = await fetch(`${daemon.url}/api/health/detailed`, { headers: daemon.headers });
    expect(await health.text()).toContain('"open"');

    const { task } = await daemon.client.tasks.create({ body: { title: 'Waits', assignedAgent: 'http' } });
    const { task: other } = await daemon.client.tasks.create({
      body: { title: 'Goes on', assignedAgent: 'command', prompt: 'echo ok' },
    });
    expect((await follow(daemon.client, other.id)).task.status).toBe('completed');
    expect((await daemon.client.tasks.get({ params: { id: task.id } })).task).toMatchObject({
      status: 'queued',
      attempts: 0,
    });
    expect(posts()).toBe(5);
  });
});
