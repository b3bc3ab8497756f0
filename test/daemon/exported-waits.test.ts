import { expect, it } from 'vitest';
import { startDaemon } from '../helpers/daemon.ts';
import { attributesOf, startOtlpReceiver } from '../helpers/otlp-receiver.ts';
import { follow, testAdapter } from '../helpers/tasks.ts';

it('every wait of a task is exported below it, as the trace of the task has it', async () => {
  await using receiver = await startOtlpReceiver();
  const failsFirst = testAdapter(async ({ attempt }) => {
    if (attempt === 1) throw new Error('Once');
    return { output: 'done' };
  });
  await using daemon = await startDaemon({
    extraAdapters: [failsFirst],
    flags: { 'queue.retry.backoff': 1 },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRICS_EXPORTER: 'none' },
  });
  const { tasks, queue } = daemon.client;
  const create = async (assignedAgent: string) =>
    (await tasks.create({ body: { title: 'planted-title', assignedAgent } })).task.id;
  const unknown = await create('nobody');
  await queue.pause();
  const queued = await create('test');
  const retried = await create('test');
  for (const id of [unknown, queued]) await tasks.cancel({ params: { id } });
  await queue.resume();
  await follow(daemon.client, retried);
  const expected = await Promise.all(
    [unknown, queued, retried].map(async (id) =>
      (await tasks.getTrace({ params: { id } })).spans
        .filter(({ kind }) => kind === 'wait')
        .map(({ name, startedAt, durationMs, status }) => ({
          name,
          from: Date.parse(startedAt),
          durationMs,
          error: status === 'ok' ? undefined : status,
        })),
    ),
  );
  expect(expected.map((waits) => waits.map(({ name, error }) => [name, error]))).toEqual([
    [['wait for agent', 'cancelled']],
    [['queue', 'cancelled']],
    [
      ['queue', undefined],
      ['retry delay', undefined],
    ],
  ]);
  await daemon.stop();
  const spans = receiver.spans();
  const ms = (nanos: string) => Number(BigInt(nanos) / 1_000_000n);
  const waitsOf = (id: string) => {
    const parent = spans.find((span) => span.name === 'task' && attributesOf(span)['svc.task.id'] === id);
    return spans
      .filter(({ name, parentSpanId }) => parentSpanId === parent?.spanId && !name.startsWith('invoke_agent'))
      .toSorted((a, b) => (a.startTimeUnixNano < b.startTimeUnixNano ? -1 : 1))
      .map((span) => {
        const from = ms(span.startTimeUnixNano);
        const durationMs = ms(span.endTimeUnixNano) - from;
        expect(attributesOf(span)['svc.task.id']).toBe(id);
        return { name: span.name, from, durationMs, error: attributesOf(span)['error.type'] };
      });
  };
  expect([unknown, queued, retried].map(waitsOf)).toEqual(expected);
});

it('waits of a trace that is not sampled are not exported', async () => {
  await using receiver = await startOtlpReceiver();
  await using daemon = await startDaemon({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER: 'always_off' },
  });
  const { task } = await daemon.client.tasks.create({
    body: { title: 'x', prompt: 'true', assignedAgent: 'command' },
  });
  await follow(daemon.client, task.id);
  await daemon.stop();
  expect(receiver.spans()).toEqual([]);
});
