import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { gatewayClient } from '../../helpers/gateway.ts';
import { withoutDaemon } from '../../helpers/metrics.ts';
import { type ModelServer, says, startModelServer, useModel } from '../../helpers/model-server.ts';
import { failingAdapter, follow, testAdapter } from '../../helpers/tasks.ts';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool && process.env['CI'])
  throw new Error('These tests need promtool (apt package prometheus), and CI skips nothing');

const scrape = async (daemon: TestDaemon) => {
  const response = await fetch(`${daemon.url}/metrics`, { headers: daemon.headers });
  expect(response.status).toBe(200);
  return response.text();
};
/** The value of the series that is written exactly so, of whatever daemon. */
const valueOf = (text: string, series: string) => {
  const line = withoutDaemon(text)
    .split('\n')
    .find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

describe('the Prometheus metrics', () => {
  let daemon: TestDaemon;
  let model: ModelServer;
  let text: string;

  beforeAll(async () => {
    model = await startModelServer();
    model.script = says('Hello');
    const paid = testAdapter(async () => ({ output: '', cost: '0.25' }), { type: 'paid' });
    daemon = await startDaemon({ extraAdapters: [paid, failingAdapter('auth')] });
    await useModel(daemon, model);
    const { tasks, chat } = daemon.client;
    for (const assignedAgent of ['paid', 'paid', 'test', 'builtin'])
      await follow(daemon.client, (await tasks.create({ body: { title: 'x', assignedAgent } })).task.id);
    const body = { messages: [{ role: 'user' as const, content: 'Hi' }] };
    await chat.createCompletion({ body });
    const named = 'a "model"\\of\nmine';
    await chat.createCompletion({ body: { ...body, provider: 'ollama', model: named } });
    model.script = (reply) => reply.json(500, { error: { message: 'no' } });
    await chat.createCompletion({ body }).catch(() => undefined);
    text = await scrape(daemon);
  });
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  it.skipIf(!hasPromtool)('the metrics pass promtool check metrics', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    });
    expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: '' });
  });

  it('the metrics count finished tasks by status, and measure how long they waited and ran', () => {
    expect(valueOf(text, 'svc_tasks_finished_total{status="completed"}')).toBe(3);
    expect(valueOf(text, 'svc_tasks_finished_total{status="failed"}')).toBe(1);
    expect(valueOf(text, 'svc_tasks_finished_total{status="cancelled"}')).toBe(0);
    for (const name of ['svc_task_wait_seconds', 'svc_task_run_seconds']) {
      expect(valueOf(text, `${name}_count`)).toBe(4);
      expect(valueOf(text, `${name}_bucket{le="+Inf"}`)).toBe(4);
      expect(valueOf(text, `${name}_sum`)).toBeLessThan(60);
    }
  });

  it('the metrics show the queue, the dead-letter queue and the process', () => {
    expect(valueOf(text, 'svc_queue_depth')).toBe(0);
    expect(valueOf(text, 'svc_dead_letters')).toBe(1);
    expect(valueOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(valueOf(text, 'svc_uptime_seconds')).toBeGreaterThan(0);
  });

  it('the metrics measure requests in seconds by route template', () => {
    const series = 'svc_http_request_duration_seconds_count{method="POST",route="/api/tasks"}';
    expect(valueOf(text, series)).toBe(4);
    expect(text).toContain('route="/api/tasks/:id"');
    expect(text).not.toMatch(/task_[0-9a-z]{5}/);
  });

  it('the metrics count model calls, tokens and costs', () => {
    expect(
      valueOf(text, 'svc_model_call_duration_seconds_count{provider="ollama",outcome="success"}'),
    ).toBeGreaterThanOrEqual(3);
    expect(valueOf(text, 'svc_model_call_duration_seconds_count{provider="ollama",outcome="error"}')).toBe(1);
    expect(withoutDaemon(text)).toMatch(
      /^svc_model_tokens_total\{provider="ollama",model="[^"]+",kind="prompt"\} [1-9]/m,
    );
    expect(text).toContain('model="a \\"model\\"\\\\of\\nmine"');
    expect(valueOf(text, 'svc_agent_cost_usd_total{agent="paid"}')).toBe(0.5);
  });
});

describe('GET /metrics', () => {
  const get = async (daemon: TestDaemon, path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${daemon.url}${path}`, { headers })).status;

  it('GET /metrics accepts only a token with the scope metrics:read', async () => {
    await using daemon = await startDaemon();
    const monitor = await gatewayClient(daemon, { scopes: ['metrics:read'] });
    const other = await gatewayClient(daemon, { scopes: ['tasks:read', 'gateway:write'] });
    expect(await get(daemon, '/metrics', monitor.headers)).toBe(200);
    expect(await get(daemon, '/api/health/metrics', monitor.headers)).toBe(200);
    expect(await get(daemon, '/api/tasks', monitor.headers)).toBe(403);
    expect(await get(daemon, '/metrics', other.headers)).toBe(403);
    expect(await get(daemon, '/metrics', daemon.headers)).toBe(200);
  });

  it('GET /metrics is public on loopback only while metrics.public is true', async () => {
    await using daemon = await startDaemon();
    expect(await get(daemon, '/metrics')).toBe(401);
    await daemon.client.config.update({ params: { key: 'metrics.public' }, body: { value: true } });
    expect(await get(daemon, '/metrics')).toBe(200);
    expect(await get(daemon, '/metrics', { 'x-forwarded-for': '203.0.113.9' })).toBe(401);
    expect(await get(daemon, '/metrics', { authorization: `Bearer svc_${'A'.repeat(43)}` })).toBe(401);
    expect(await get(daemon, '/api/health/metrics')).toBe(401);
    expect(await get(daemon, '/api/tasks')).toBe(401);
    await daemon.client.config.update({ params: { key: 'metrics.public' }, body: { value: false } });
    expect(await get(daemon, '/metrics')).toBe(401);
  });
});
