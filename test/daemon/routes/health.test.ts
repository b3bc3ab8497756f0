import { describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { withoutDaemon } from '../../helpers/metrics.ts';
import { startModelServer, useModel } from '../../helpers/model-server.ts';
import { isPro } from '../../helpers/pro.ts';
import { failingAdapter, follow, heldAdapter, testAdapter } from '../../helpers/tasks.ts';
import { version } from '../../../src/core/version.ts';

const get = (daemon: TestDaemon, path: string, headers: Record<string, string> = {}) =>
  fetch(`${daemon.url}${path}`, { headers: { ...daemon.headers, ...headers } });
/** A default agent that can run without a model provider. */
const flags = { 'agents.default': 'command' };
const fill = async ({ client }: TestDaemon, count: number) => {
  await Promise.all(
    Array.from({ length: count }, (_, index) => client.tasks.create({ body: { title: `${index}` } })),
  );
};

describe('GET /api/health', () => {
  it('answers ok without a session', async () => {
    await using daemon = await startDaemon();
    const response = await fetch(`${daemon.url}/api/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: 'ok',
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
  });

  it('is ready only between start and stop', async () => {
    await using daemon = await startDaemon();
    const ready = async () => {
      const response = await fetch(`${daemon.url}/api/health/ready`);
      return [response.status, ((await response.json()) as { status: string }).status];
    };
    expect(await ready()).toEqual([200, 'ready']);
    daemon.app.health.phase = 'starting';
    expect(await ready()).toEqual([503, 'starting']);
    daemon.app.health.phase = 'stopping';
    expect(await ready()).toEqual([503, 'stopping']);
  });
});

describe('GET /api/health/detailed', () => {
  it('reports every component of a healthy daemon', async () => {
    await using daemon = await startDaemon({ flags });
    const report = await daemon.client.health.getDetailed();
    const component = { status: 'healthy', message: expect.any(String), lastChecked: expect.any(String) };
    expect(report).toMatchObject({
      status: 'healthy',
      version,
      uptime: expect.any(Number),
      components: {
        queue: { ...component, details: { active: 0, pending: 0, queued: 0, inProgress: 0 } },
        adapters: component,
        circuitBreakers: component,
        deadLetterQueue: { ...component, details: { pending: 0, total: 0 } },
      },
      system: { platform: process.platform, nodeVersion: process.version },
    });
    expect(report.components.adapters.list.map(({ type }) => type)).toContain('command');
    expect(report.components.circuitBreakers.list[0]).toMatchObject({ state: 'closed', failures: 0 });
    expect(report.system.cpu.loadAverage).toHaveLength(3);
    expect(report.system.memory.percentage).toBeGreaterThan(0);
  });

  it('turns degraded at 101 tasks and unhealthy with a 503 at 501', async () => {
    const { adapter } = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [adapter], flags: { 'agents.default': 'test' } });
    const report = async () => {
      const response = await get(daemon, '/api/health/detailed');
      const body = (await response.json()) as { status: string; components: { queue: { message: string } } };
      return [response.status, body.status, body.components.queue.message.toLowerCase()];
    };
    await fill(daemon, 100);
    expect(await report()).toEqual([200, 'healthy', expect.any(String)]);
    await fill(daemon, 1);
    expect(await report()).toEqual([200, 'degraded', 'high queue depth detected']);
    await fill(daemon, 399);
    expect(await report()).toEqual([200, 'degraded', 'high queue depth detected']);
    await fill(daemon, 1);
    expect(await report()).toEqual([503, 'unhealthy', 'critical queue depth']);
    expect((await get(daemon, '/api/health')).status).toBe(200);
  });

  it('turns degraded at 10 dead letters', async () => {
    await using daemon = await startDaemon({ extraAdapters: [failingAdapter('auth')], flags });
    const fail = async () => {
      const { task } = await daemon.client.tasks.create({ body: { title: 'x', assignedAgent: 'test' } });
      await follow(daemon.client, task.id);
    };
    for (let failed = 0; failed < 9; failed++) await fail();
    expect((await daemon.client.health.getDetailed()).status).toBe('healthy');
    await fail();
    expect(await daemon.client.health.getDetailed()).toMatchObject({
      status: 'degraded',
      components: { deadLetterQueue: { status: 'degraded', details: { pending: 10 } } },
    });
  });

  // The command agent is always well, so a daemon is never without any.
  it.each([
    [[true, true], 'healthy'],
    [[false, true], 'degraded'],
    [[false, false], 'degraded'],
  ] as const)('with two more agents of health %j, the agents are %s', async (healths, status) => {
    const adapters = healths.map((healthy, index) =>
      testAdapter(async () => ({ output: '' }), {
        type: `test${index}`,
        checkHealth: async () => ({ healthy }),
      }),
    );
    await using daemon = await startDaemon({ extraAdapters: adapters, flags });
    expect(await daemon.client.health.getDetailed()).toMatchObject({
      status,
      components: { adapters: { status } },
    });
  });
});

describe('the health of the default agent', () => {
  it('health is degraded while the default agent cannot run, with the command that fixes it', async () => {
    await using daemon = await startDaemon();
    const adapters = async () => (await daemon.client.health.getDetailed()).components.adapters;
    expect(await adapters()).toMatchObject({
      status: 'degraded',
      message:
        'The default agent "builtin" cannot run: it needs a model provider: svc providers configure openai',
    });
    await using model = await startModelServer();
    await useModel(daemon, model);
    expect(await adapters()).toMatchObject({ status: 'healthy' });
    const set = (value: string) =>
      daemon.client.config.update({ params: { key: 'agents.default' }, body: { value } });
    await set('http');
    expect((await adapters()).message).toContain('svc config set agents.http.url');
    await set('nobody');
    expect(await adapters()).toMatchObject({
      status: 'degraded',
      message: expect.stringContaining('svc config set agents.default'),
    });
  });
});

describe('the health of model providers', () => {
  const body = { messages: [{ role: 'user' as const, content: 'Hi' }] };

  it('shows the last observed health of a model provider, with its time', async () => {
    await using model = await startModelServer();
    await using daemon = await startDaemon();
    await useModel(daemon, model);
    const ollama = async () =>
      (await daemon.client.providers.list()).providers.find(({ type }) => type === 'ollama');
    expect(await ollama()).not.toHaveProperty('lastUsedAt');
    await daemon.client.chat.createCompletion({ body });
    const at = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    expect(await ollama()).toMatchObject({ healthy: true, healthCheckedAt: at, lastUsedAt: at });
    model.script = (reply) => reply.json(401, { error: { message: 'the words of a prompt' } });
    await daemon.client.chat.createCompletion({ body }).catch(() => undefined);
    expect(await ollama()).toMatchObject({
      healthy: false,
      message: 'It refuses the key (auth)',
      healthCheckedAt: at,
      lastUsedAt: at,
    });
    model.script = (reply) => reply.json(400, { error: { message: 'too hot' } });
    await daemon.client.chat.createCompletion({ body }).catch(() => undefined);
    expect(await ollama()).toMatchObject({ healthy: false, message: 'It refuses the key (auth)' });
    await daemon.client.providers.checkHealth({ params: { type: 'ollama' } });
    expect(await ollama()).toMatchObject({ healthy: true, lastUsedAt: at });
    expect(await ollama()).not.toHaveProperty('message');
  });

  it('shows the circuit breakers of model providers', async () => {
    await using model = await startModelServer();
    await using daemon = await startDaemon();
    await useModel(daemon, model);
    const breakers = async () => (await daemon.client.health.getDetailed()).components.circuitBreakers;
    const ollama = { name: 'providers.ollama', state: 'closed', failures: 0, successes: 0 };
    expect((await breakers()).list).toContainEqual(ollama);
    model.script = (reply) => reply.json(500, { error: { message: 'no' } });
    for (let count = 0; count < 5; count++)
      await daemon.client.chat.createCompletion({ body }).catch(() => undefined);
    expect(await breakers()).toMatchObject({ status: 'degraded', message: '1 circuit breakers are open' });
    expect((await breakers()).list).toContainEqual({ ...ollama, state: 'open', failures: 5 });
  });
});

describe('metrics', () => {
  it('metrics count requests and errors per endpoint', async () => {
    await using daemon = await startDaemon();
    for (let times = 0; times < 3; times++) await get(daemon, '/api/tasks');
    await get(daemon, '/api/tasks/one');
    await get(daemon, '/api/tasks/two');
    await get(daemon, '/api/nothing/at/all');
    const metrics = await daemon.client.health.getMetrics();
    const of = (route: string) => metrics.endpoints.find((endpoint) => endpoint.route === route);
    expect(of('/api/tasks')).toMatchObject({ method: 'GET', count: 3, errors: 0 });
    expect(of('/api/tasks/:id')).toMatchObject({ count: 2, errors: 0 });
    for (const { p50, p95, p99 } of metrics.endpoints) {
      expect(p50).toBeGreaterThan(0);
      expect(p95).toBeGreaterThanOrEqual(p50);
      expect(p99).toBeGreaterThanOrEqual(p95);
    }
    expect(metrics.requests.total).toBe(6);
    expect(metrics.errors).toEqual({ total: 0, rate: 0 });
    expect(metrics.requests.perSecond).toBeGreaterThan(0);
  });

  it('metrics do not grow with unknown paths', async () => {
    await using daemon = await startDaemon();
    for (let index = 0; index < 20; index++) await get(daemon, `/api/nothing/${index}`);
    const { endpoints } = await daemon.client.health.getMetrics();
    expect(endpoints).toHaveLength(1);
  });

  it('metrics are Prometheus text for Accept: text/plain and at /metrics', async () => {
    await using daemon = await startDaemon();
    await fill(daemon, 2);
    const asked = await get(daemon, '/api/health/metrics', { accept: 'text/plain' });
    const usual = await get(daemon, '/metrics');
    for (const response of [asked, usual]) {
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      const text = await response.text();
      if (isPro) expect(text).toMatch(/^svc_dead_letters\{daemon="[^"]+"\} 0$/m);
      const plain = withoutDaemon(text);
      expect(plain).toContain('svc_tasks{status="pending"} 2\n');
      expect(plain).toContain('svc_http_requests_total{method="POST",route="/api/tasks"} 2\n');
      expect(plain).toContain('svc_dead_letters 0\n');
      for (const line of text.trimEnd().split('\n'))
        expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.]+)$/);
      const families = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
      expect(new Set(families).size).toBe(families.length);
    }
  });
});
