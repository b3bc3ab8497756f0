import { afterEach, expect, it } from 'vitest';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools } from '../helpers/model-server.ts';
import { throughProtobuf, withoutEmptyLists } from '../helpers/otlp-messages.ts';
import {
  attributesOf,
  type OtlpReceiver,
  type OtlpSpan,
  startOtlpReceiver,
  treeOf,
} from '../helpers/otlp-receiver.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { follow, until } from '../helpers/tasks.ts';

const resources: AsyncDisposable[] = [];
afterEach(async () => {
  while (resources.length > 0) await resources.pop()?.[Symbol.asyncDispose]();
});
async function receiving(): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver();
  resources.push(receiver);
  return receiver;
}
const writes = callsTools([[{ name: 'write_file', args: { path: 'done.txt', content: 'planted-content' } }]]);
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Creates a task that writes a file, allows the call, and follows the task to its end. */
async function runTask(daemon: TestDaemon, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${daemon.url}/api/tasks`, {
    method: 'POST',
    headers: { ...daemon.headers, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ title: 'planted-title', prompt: 'planted-prompt' }),
  });
  expect(response.status).toBe(201);
  const { task } = (await response.json()) as { task: { id: string } };
  const approvalId = await until(async () => {
    const [approval] = (await daemon.client.approvals.list()).approvals;
    if (!approval) throw new Error('There is no approval yet');
    return approval.id;
  });
  await daemon.client.approvals.decide({ params: { id: approvalId }, body: { decision: 'allow-once' } });
  await follow(daemon.client, task.id);
  return task.id;
}

/** The spans of one trace, each checked by the rules of the protocol. */
function traceOf(receiver: OtlpReceiver, traceId: string): OtlpSpan[] {
  const spans = receiver.spans().filter((span) => span.traceId === traceId);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  expect(byId.size).toBe(spans.length);
  for (const span of spans) {
    expect(span.traceId).toMatch(/^[\da-f]{32}$/);
    expect(span.spanId).toMatch(/^[\da-f]{16}$/);
    expect(span.startTimeUnixNano).toMatch(/^\d{19}$/);
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    expect([1, 2, 3]).toContain(span.kind);
    expect([undefined, 2]).toContain(span.status.code);
  }
  return spans;
}

it.each([
  ['http/protobuf', {}, 'application/x-protobuf'],
  ['http/json', { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'application/json'],
] as const)('exports a whole task over %s as one trace below the request', async (_, protocol, type) => {
  const receiver = await receiving();
  const env = {
    ...protocol,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=planted%20secret',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  const world = await startModelDaemon({ env }, writes);
  resources.push(world);
  const { daemon } = world;
  const id = await runTask(daemon, { traceparent, tracestate: 'vendor=1' });
  await daemon.stop();
  const spans = traceOf(receiver, '0af7651916cd43dd8448eb211c80319c');
  expect(treeOf(spans)).toEqual(
    [
      '? > POST /api/tasks',
      'POST /api/tasks > task',
      'task > queue',
      'task > invoke_agent builtin',
      'invoke_agent builtin > step',
      'step > chat test-model',
      'step > approval',
      'step > execute_tool write_file',
      'invoke_agent builtin > step',
      'step > chat test-model',
    ].toSorted(),
  );
  const named = (name: string) =>
    attributesOf(spans.find((span) => span.name === name) ?? { attributes: [] });
  expect(named('POST /api/tasks')).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/api/tasks',
    'http.response.status_code': '201',
  });
  expect(named('task')).toMatchObject({ 'svc.task.id': id, 'svc.task.status': 'completed' });
  expect(named('chat test-model')).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'ollama',
    'gen_ai.request.model': 'test-model',
    'gen_ai.usage.input_tokens': expect.stringMatching(/^\d+$/),
  });
  expect(named('execute_tool write_file')).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'write_file',
  });
  const [first] = receiver.requests;
  expect(first?.headers).toMatchObject({ 'content-type': type, 'x-api-key': 'planted secret' });
  expect(attributesOf(first?.body.resourceSpans?.[0]?.resource ?? { attributes: [] })).toMatchObject({
    'service.name': 'svc',
    'deployment.environment.name': 'test',
  });
  // What people and models wrote is content.
  expect(JSON.stringify(receiver.requests.map(({ body }) => body))).not.toMatch(/planted/);
  const points = receiver.metrics();
  for (const name of [
    'gen_ai.client.token.usage',
    'gen_ai.client.operation.duration',
    'http.server.request.duration',
  ])
    expect(points.find((metric) => metric.name === name)?.histogram?.dataPoints.length, name).toBeGreaterThan(
      0,
    );
  expect(points.find(({ name }) => name === 'svc_tasks_finished')?.sum).toMatchObject({ isMonotonic: true });
  // The other encoding has the same to the last field.
  for (const { body } of receiver.requests)
    if (body.resourceSpans) expect(throughProtobuf('traces', body)).toEqual(withoutEmptyLists(body));
    else expect(throughProtobuf('metrics', body)).toEqual(withoutEmptyLists(body));
});

it('exports content only where it is asked for, and masks secrets in it', async () => {
  const receiver = await receiving();
  const key = `sk-ant-${'a1B2'.repeat(12)}`;
  const env = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/own/traces`,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
  };
  const script = callsTools([
    [{ name: 'write_file', args: { path: 'a.txt', content: `planted-content ${key}` } }],
  ]);
  const world = await startModelDaemon({ env }, script);
  resources.push(world);
  await runTask(world.daemon);
  await world.daemon.stop();
  expect(new Set(receiver.requests.map(({ path }) => path))).toEqual(new Set(['/own/traces']));
  const call = receiver.spans().find(({ name }) => name === 'execute_tool write_file');
  const { 'gen_ai.tool.call.arguments': args } = attributesOf(call ?? { attributes: [] });
  expect(args).toContain('planted-content');
  const chat = receiver.spans().find(({ name }) => name === 'chat test-model');
  expect(attributesOf(chat ?? { attributes: [] })['gen_ai.input.messages']).toContain('planted-prompt');
  expect(JSON.stringify(receiver.requests.map(({ body }) => body))).not.toContain(key);
});

it('an attempt after a restart joins the trace of the task', async () => {
  const receiver = await receiving();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  const first = await startDaemon({ env });
  resources.push(first);
  await first.client.queue.pause();
  const response = await fetch(`${first.url}/api/tasks`, {
    method: 'POST',
    headers: { ...first.headers, 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ title: 'x', prompt: 'echo "$TRACEPARENT"', assignedAgent: 'command' }),
  });
  const { task } = (await response.json()) as { task: { id: string } };
  await first.stop();
  const second = await startDaemon({ env, home: first.home });
  resources.push(second);
  await second.client.queue.resume();
  const { task: done } = await follow(second.client, task.id);
  await second.stop();
  const spans = traceOf(receiver, '0af7651916cd43dd8448eb211c80319c');
  expect(treeOf(spans)).toEqual(
    [
      '? > POST /api/tasks',
      'POST /api/tasks > task',
      'task > queue',
      'task > invoke_agent command',
      'invoke_agent command > process sh',
    ].toSorted(),
  );
  const process = spans.find(({ name }) => name === 'process sh');
  expect(done.result?.output.trim()).toBe(`00-0af7651916cd43dd8448eb211c80319c-${process?.spanId}-01`);
});

it('exports nothing and makes no request unless a variable asks for it', async () => {
  const receiver = await receiving();
  for (const env of [
    {},
    { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    {
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    },
  ]) {
    await using daemon = await startDaemon({ env });
    expect(daemon.app.telemetry).toBeUndefined();
    await daemon.client.tasks.list({ query: {} });
    await daemon.stop();
  }
  expect(receiver.requests).toEqual([]);
});

it('a request without a caller joins no trace', async () => {
  const receiver = await receiving();
  const daemon = await startDaemon({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
  resources.push(daemon);
  const statuses = [];
  for (const path of ['/api/tasks', '/api/nothing', '/api/health'])
    statuses.push((await fetch(`${daemon.url}${path}`, { headers: { traceparent } })).status);
  await daemon.stop();
  const spans = receiver.spans();
  expect(statuses).toEqual([401, 404, 200]);
  expect(treeOf(spans)).toEqual(['GET /*', 'GET /api/tasks']);
  expect(spans.map(({ traceId }) => traceId)).not.toContain('0af7651916cd43dd8448eb211c80319c');
});

it('a webhook continues the trace of its task', async () => {
  const receiver = await receiving();
  const hook = await receiving();
  const daemon = await startDaemon({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, SVC_OUTBOUND_ALLOW_PRIVATE: '127.0.0.0/8' },
  });
  resources.push(daemon);
  await daemon.client.webhooks.create({ body: { url: hook.url, events: ['task.completed'] } });
  const { task } = await daemon.client.tasks.create({
    body: { title: 'x', prompt: 'true', assignedAgent: 'command' },
  });
  await follow(daemon.client, task.id);
  await until(() => expect(hook.requests).toHaveLength(1));
  await until(async () => {
    const [webhook] = (await daemon.client.webhooks.list({ query: {} })).webhooks;
    expect(webhook?.lastDelivery).toBeDefined();
  });
  await daemon.stop();
  const sent = receiver.spans().find(({ name }) => name === 'webhook task.completed');
  const span = receiver.spans().find(({ spanId }) => spanId === sent?.parentSpanId);
  expect(span?.name).toBe('task');
  expect(hook.requests[0]?.headers['traceparent']).toBe(`00-${sent?.traceId}-${sent?.spanId}-01`);
});

it('refuses to start with a protocol that it does not speak', async () => {
  await expect(
    startDaemon({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    }),
  ).rejects.toMatchObject({ code: 'configuration', message: expect.stringContaining('http/protobuf') });
});

it('a receiver that does not answer delays neither work nor the stop', async () => {
  const receiver = await receiving();
  receiver.answer = () => undefined;
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_BSP_MAX_QUEUE_SIZE: '3',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_EXPORTER_OTLP_TIMEOUT: '50',
  };
  const daemon = await startDaemon({ env });
  resources.push(daemon);
  for (let count = 0; count < 20; count++) await daemon.client.tasks.list({ query: {} });
  await until(async () => {
    const text = await (await fetch(`${daemon.url}/metrics`, { headers: daemon.headers })).text();
    expect(text).toMatch(/^svc_telemetry_items_total\{.*signal="traces",outcome="dropped"\} [1-9]/m);
  });
  await daemon.stop();
});
