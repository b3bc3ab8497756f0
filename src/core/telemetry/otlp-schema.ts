import type { Message } from './protobuf.ts';

/**
 * The messages that are exported, with the fields that svc sets; numbers and types are those of
 * https://github.com/open-telemetry/opentelemetry-proto (trace/v1, metrics/v1, common/v1, resource/v1).
 */
const texts: Message = { stringValue: [1, 'string'] };
const keyValue: Message = {
  key: [1, 'string'],
  value: [
    2,
    {
      ...texts,
      boolValue: [2, 'bool'],
      intValue: [3, 'int64'],
      doubleValue: [4, 'double'],
      arrayValue: [5, { values: [1, texts] }],
    },
  ],
};
const resource: Message = { attributes: [1, keyValue] };
const scope: Message = { name: [1, 'string'], version: [2, 'string'] };
const times: Message = { startTimeUnixNano: [2, 'fixed64'], timeUnixNano: [3, 'fixed64'] };

const span: Message = {
  traceId: [1, 'bytes'],
  spanId: [2, 'bytes'],
  traceState: [3, 'string'],
  parentSpanId: [4, 'bytes'],
  flags: [16, 'fixed32'],
  name: [5, 'string'],
  kind: [6, 'enum'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, keyValue],
  links: [
    13,
    { traceId: [1, 'bytes'], spanId: [2, 'bytes'], traceState: [3, 'string'], flags: [6, 'fixed32'] },
  ],
  status: [15, { code: [3, 'enum'] }],
};
const numberPoint: Message = { attributes: [7, keyValue], ...times, asDouble: [4, 'double'] };
const histogramPoint: Message = {
  attributes: [9, keyValue],
  ...times,
  count: [4, 'fixed64'],
  sum: [5, 'double'],
  bucketCounts: [6, 'fixed64'],
  explicitBounds: [7, 'double'],
};
const metric: Message = {
  name: [1, 'string'],
  description: [2, 'string'],
  unit: [3, 'string'],
  gauge: [5, { dataPoints: [1, numberPoint] }],
  sum: [7, { dataPoints: [1, numberPoint], aggregationTemporality: [2, 'enum'], isMonotonic: [3, 'bool'] }],
  histogram: [9, { dataPoints: [1, histogramPoint], aggregationTemporality: [2, 'enum'] }],
};

/** `ExportTraceServiceRequest` and `ExportMetricsServiceRequest`. */
export const otlpRequests = {
  traces: {
    resourceSpans: [1, { resource: [1, resource], scopeSpans: [2, { scope: [1, scope], spans: [2, span] }] }],
  },
  metrics: {
    resourceMetrics: [
      1,
      { resource: [1, resource], scopeMetrics: [2, { scope: [1, scope], metrics: [2, metric] }] },
    ],
  },
} as const satisfies Record<string, Message>;
