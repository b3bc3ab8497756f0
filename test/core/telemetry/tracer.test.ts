import { expect, it } from 'vitest';
import type { FinishedSpan } from '../../../src/core/telemetry/finished-span.ts';
import { parseTaskSpan } from '../../../src/core/telemetry/stored-context.ts';
import { Tracer, type TracerDeps } from '../../../src/core/telemetry/tracer.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';

function tracing(deps: Partial<TracerDeps> = {}) {
  const spans: FinishedSpan[] = [];
  const tracer = new Tracer({
    runtime: systemRuntime,
    sampler: () => true,
    export: (span) => spans.push(span),
    showContent: undefined,
    ofTask: async () => undefined,
    ...deps,
  });
  return { tracer, spans };
}

it('a span within another one is below it, also after an await', async () => {
  const { tracer, spans } = tracing();
  await tracer.trace('outer', {}, async () => {
    await Promise.resolve();
    await tracer.trace('inner', {}, async (inner) => expect(tracer.active()).toEqual(inner.context));
  });
  const [inner, outer] = spans;
  expect(inner?.parent?.spanId).toBe(outer?.context.spanId);
  expect(inner?.context.traceId).toBe(outer?.context.traceId);
  expect(outer?.parent).toBeUndefined();
  expect(tracer.active()).toBeUndefined();
});

it('work that throws ends its span with the class of the failure, and never with its message', async () => {
  const { tracer, spans } = tracing();
  const failing = tracer.trace('work', {}, async () => {
    throw new TypeError('planted');
  });
  await expect(failing).rejects.toThrow('planted');
  expect(spans[0]).toMatchObject({ error: 'TypeError' });
  expect(JSON.stringify(spans)).not.toContain('planted');
});

it('a span is exported once, and not at all where it is not sampled', () => {
  const { tracer, spans } = tracing();
  const span = tracer.startSpan('once');
  span.end();
  span.end('late');
  expect(spans.map(({ error }) => error)).toEqual([undefined]);
  const off = tracing({ sampler: () => false });
  off.tracer.startSpan('none').end();
  expect(off.spans).toEqual([]);
});

it('a stored task keeps its span, its parent and the state of other vendors', () => {
  const { tracer } = tracing();
  const remote = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true, state: 'v=1' };
  const request = tracer.startSpan('request', { parent: remote });
  const stored = parseTaskSpan(tracer.within(request, () => tracer.newTask()));
  expect(stored).toMatchObject({
    context: { traceId: remote.traceId, isSampled: true, state: 'v=1' },
    parent: { spanId: request.context.spanId },
  });
  expect(parseTaskSpan(null)).toBeUndefined();
  expect(parseTaskSpan('{"traceparent":"nonsense"}')).toBeUndefined();
});

it('spans of one millisecond keep their order, and a clock that is set restarts the measurement', () => {
  let wall = 1_000_000;
  let monotonic = 0;
  const runtime = { ...systemRuntime, now: () => new Date(wall), monotonic: () => monotonic };
  const { tracer, spans } = tracing({ runtime });
  const outer = tracer.startSpan('outer');
  monotonic += 0.25;
  tracer.startSpan('inner').end();
  outer.end();
  expect(spans.map(({ startedAt, endedAt }) => [startedAt, endedAt])).toEqual([
    [1_000_000.25, 1_000_000.25],
    [1_000_000, 1_000_000.25],
  ]);
  wall += 3_600_000;
  tracer.startSpan('later').end();
  expect(spans.at(-1)?.startedAt).toBe(wall);
});
