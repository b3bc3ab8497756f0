import type { FinishedSpan } from './finished-span.ts';
import { scope, toKeyValues, toNanos, toResource } from './otlp-values.ts';
import type { SpanKind } from './telemetry.ts';

const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, producer: 4 };
const ERROR = 2;
/** The bits of `flags` that say whether the parent is of another program. */
const HAS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/** An `ExportTraceServiceRequest`. */
export const toTracesRequest = (spans: readonly FinishedSpan[], resource: Record<string, string>) => ({
  resourceSpans: [{ resource: toResource(resource), scopeSpans: [{ scope, spans: spans.map(toSpan) }] }],
});

const toSpan = ({ name, kind, context, parent, startedAt, endedAt, attributes, error }: FinishedSpan) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(context.state !== undefined && { traceState: context.state }),
  ...(parent && { parentSpanId: parent.spanId }),
  flags: 1 | HAS_REMOTE | (parent?.isRemote ? IS_REMOTE : 0),
  name,
  kind: kinds[kind],
  startTimeUnixNano: toNanos(startedAt),
  endTimeUnixNano: toNanos(endedAt),
  attributes: toKeyValues(attributes),
  status: error === undefined ? {} : { code: ERROR },
});
