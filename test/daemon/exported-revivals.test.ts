import { afterEach, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { throughProtobuf, withoutEmptyLists } from '../helpers/otlp-messages.ts';
import { attributesOf, type OtlpReceiver, startOtlpReceiver, treeOf } from '../helpers/otlp-receiver.ts';
import { follow } from '../helpers/tasks.ts';

const resources: AsyncDisposable[] = [];
afterEach(async () => {
  while (resources.length > 0) await resources.pop()?.[Symbol.asyncDispose]();
});
const traceId = '0af7651916cd43dd8448eb211c80319c';

async function receiving(): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver();
  resources.push(receiver);
  return receiver;
}
const envOf = ({ url }: OtlpReceiver) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_METRICS_EXPORTER: 'none',
});
async function starting(options: Parameters<typeof startDaemon>[0]): Promise<TestDaemon> {
  const daemon = await startDaemon(options);
  resources.push(daemon);
  return daemon;
}

/** Creates a task that fails in its only attempt, in a trace of its caller. */
async function fail({ client, url, headers }: TestDaemon): Promise<string> {
  const response = await fetch(`${url}/api/tasks`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
    body: JSON.stringify({ title: 'x', prompt: 'false', assignedAgent: 'command', maxAttempts: 1 }),
  });
  const { task } = (await response.json()) as { task: { id: string } };
  expect((await follow(client, task.id)).task.status).toBe('failed');
  return task.id;
}

/** Takes the only dead letter that is pending back. */
async function revive({ client }: TestDaemon): Promise<void> {
  const [item] = (await client.dlq.list({ query: { status: 'pending' } })).items;
  if (!item) throw new Error('There is no dead letter');
  await client.dlq.retry({ params: { id: item.id } });
}

/** The spans of the trace, in which no id is there twice, and those of the task as they began. */
function exported(receiver: OtlpReceiver) {
  const spans = receiver.spans().filter((span) => span.traceId === traceId);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  const tasks = spans
    .filter(({ name }) => name === 'task')
    .toSorted((a, b) => (a.startTimeUnixNano < b.startTimeUnixNano ? -1 : 1));
  return { spans, tasks };
}

const linked = ({ spanId }: { spanId?: string } = {}) => [expect.objectContaining({ traceId, spanId })];

it('a task that is taken back from the dead letters has another span, linked to the one before', async () => {
  const receiver = await receiving();
  const daemon = await starting({ env: envOf(receiver) });
  const id = await fail(daemon);
  for (let count = 0; count < 2; count++) {
    await revive(daemon);
    await follow(daemon.client, id);
  }
  await daemon.stop();
  const { spans, tasks } = exported(receiver);
  const run = ['POST /api/tasks > task', 'task > queue', 'task > invoke_agent command'];
  expect(treeOf(spans)).toEqual(
    [
      '? > POST /api/tasks',
      ...[run, run, run].flat(),
      ...Array.from({ length: 3 }, () => 'invoke_agent command > process sh'),
    ].toSorted(),
  );
  expect(tasks.map(({ links }) => links ?? [])).toEqual([[], linked(tasks[0]), linked(tasks[1])]);
  for (const task of tasks)
    expect(attributesOf(task)).toMatchObject({ 'svc.task.id': id, 'svc.task.status': 'failed' });
  // Each begins when its task was taken back, which is after the one before has ended.
  for (const [index, task] of tasks.slice(1).entries())
    expect(BigInt(task.startTimeUnixNano)).toBeGreaterThanOrEqual(
      BigInt(tasks[index]?.endTimeUnixNano ?? ''),
    );
  for (const { spanId } of tasks)
    expect(spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['queue', 'invoke_agent command']),
    );
  for (const { body } of receiver.requests)
    expect(throughProtobuf('traces', body)).toEqual(withoutEmptyLists(body));
});

it('so has one that a daemon took back that exports nothing', async () => {
  const receiver = await receiving();
  const first = await starting({ env: envOf(receiver) });
  const id = await fail(first);
  await first.stop();
  const silent = await starting({ home: first.home });
  await silent.client.queue.pause();
  await revive(silent);
  await silent.stop();
  const last = await starting({ home: first.home, env: envOf(receiver) });
  await last.client.queue.resume();
  await follow(last.client, id);
  await last.stop();
  const { tasks } = exported(receiver);
  expect(tasks.map(({ links }) => links ?? [])).toEqual([[], linked(tasks[0])]);
});

it('a retry as another task begins a trace of its own', async () => {
  const receiver = await receiving();
  const daemon = await starting({ env: envOf(receiver) });
  const id = await fail(daemon);
  const { task } = await daemon.client.tasks.retry({ params: { id } });
  await follow(daemon.client, task.id);
  await daemon.stop();
  expect(exported(receiver).tasks).toHaveLength(1);
  const spans = receiver.spans().filter((span) => attributesOf(span)['svc.task.id'] === task.id);
  const own = spans.find(({ name }) => name === 'task');
  expect(own?.traceId).not.toBe(traceId);
  expect(own?.links).toBeUndefined();
});
