import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FinishedSpan } from '../../../src/core/telemetry/finished-span.ts';
import { Histogram, type MetricFamily } from '../../../src/core/metrics/metric-families.ts';
import { toMetricsRequest } from '../../../src/core/telemetry/otlp-metrics.ts';
import { otlpRequests } from '../../../src/core/telemetry/otlp-schema.ts';
import { toTracesRequest } from '../../../src/core/telemetry/otlp-traces.ts';
import { encodeMessage } from '../../../src/core/telemetry/protobuf.ts';
import { throughProtobuf, withoutEmptyLists } from '../../helpers/otlp-messages.ts';

const id = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString('hex'));
const text = fc.string({ unit: 'grapheme', maxLength: 200 });
/** Decoders do not tell an empty text from none outside of values. */
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
const context = fc.record(
  { traceId: id(16), spanId: id(8), isSampled: fc.constant(true), isRemote: fc.boolean(), state: name },
  { requiredKeys: ['traceId', 'spanId', 'isSampled'] },
);
const ms = fc.double({ min: 1e12, max: 4e12, noNaN: true });
const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const attribute = fc.tuple(
  name,
  fc.oneof(text, fc.boolean(), fc.maxSafeInteger(), double, fc.array(text, { maxLength: 3 })),
);
const span: fc.Arbitrary<FinishedSpan> = fc.record({
  name,
  kind: fc.constantFrom('internal', 'server', 'client', 'producer'),
  context,
  parent: fc.option(context, { nil: undefined }),
  links: fc.option(fc.array(context, { maxLength: 3 }), { nil: undefined }),
  startedAt: ms,
  endedAt: ms,
  attributes: fc.array(attribute, { maxLength: 8 }),
  error: fc.option(text, { nil: undefined }),
});

it('another decoder reads every span as it is in JSON', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 20 }), (spans) => {
      const request = toTracesRequest(spans, { 'service.name': 'svc' });
      expect(throughProtobuf('traces', request)).toEqual(withoutEmptyLists(request));
    }),
  );
});

it('another decoder reads metrics of every kind as they are in JSON', () => {
  const labels = fc.dictionary(name, text, { maxKeys: 3 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(labels, double), { minLength: 1, maxLength: 5 }),
      fc.array(fc.tuple(labels, fc.double({ min: 0, max: 1e9, noNaN: true })), {
        minLength: 1,
        maxLength: 20,
      }),
      (samples, observed) => {
        const histogram = new Histogram([0.005, 1, 250]);
        for (const [of, value] of observed) histogram.observe(of, value);
        const families: MetricFamily[] = [
          { type: 'counter', name: 'svc_a_total', help: 'A', samples },
          { type: 'gauge', name: 'svc_b_bytes', help: 'B', samples },
          { type: 'histogram', name: 'svc_c_seconds', help: 'C', histogram },
        ];
        const { request } = toMetricsRequest({
          families,
          resource: {},
          startedAt: 1.7e12,
          now: 1.7e12 + 0.5,
        });
        expect(throughProtobuf('metrics', request)).toEqual(withoutEmptyLists(request));
      },
    ),
  );
});

it('content of any length has room, and its length is that of its bytes', () => {
  for (const length of [127, 128, 16_383, 16_384, 70_000, 2_200_000]) {
    const request = { resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'ü'.repeat(length), kind: 1 }] }] }] };
    expect(throughProtobuf('traces', request)).toEqual(request);
  }
});

it('leaves out what is undefined, and refuses a field that the message does not have', () => {
  const { traces } = otlpRequests;
  expect(encodeMessage(traces, { resourceSpans: undefined })).toHaveLength(0);
  expect(() => encodeMessage(traces, { resourceSpans: [{ planted: 1 }] })).toThrow('no field planted');
  expect(() => encodeMessage(traces, { toString: 1 })).toThrow('no field toString');
});
