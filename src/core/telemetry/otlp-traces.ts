import type { FinishedSpan } from './finished-span.ts';
import { scope, toKeyValues, toNanos, toResource } from './otlp-values.ts';
import type { SpanKind } from './telemetry.ts';
import type { TraceContext } from './trace-context.ts';

const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, producer: 4 };
const ERROR = 2;
/** The bits of `flags` that say whether the parent, or what is linked to, is of another program. */
const HAS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/** An `ExportTraceServiceRequest`. */
export const toTracesRequest = (spans: readonly FinishedSpan[], resource: Record<string, string>) => ({
  resourceSpans: [{ resource: toResource(resource), scopeSpans: [{ scope, spans: spans.map(toSpan) }] }],
});

const toIds = ({ traceId, spanId, state }: TraceContext) => ({
  traceId,
  spanId,
  ...(state !== undefined && { traceState: state }),
});
const flagsOf = (of: TraceContext | undefined) => 1 | HAS_REMOTE | (of?.isRemote ? IS_REMOTE : 0);

const toSpan = ({
  name,
  kind,
  context,
  parent,
  links,
  startedAt,
  endedAt,
  attributes,
  error,
}: FinishedSpan) => ({
  ...toIds(context),
  ...(parent && { parentSpanId: parent.spanId }),
  flags: flagsOf(parent),
  name,
  kind: kinds[kind],
  startTimeUnixNano: toNanos(startedAt),
  endTimeUnixNano: toNanos(endedAt),
  attributes: toKeyValues(attributes),
  ...(links && { links: links.map((link) => ({ ...toIds(link), flags: flagsOf(link) })) }),
  status: error === undefined ? {} : { code: ERROR },
});
