import type { AttributeValue, SpanKind } from './telemetry.ts';
import type { TraceContext } from './trace-context.ts';

/** A span as it is exported. Times are epoch milliseconds with fractions. */
export interface FinishedSpan {
  name: string;
  kind: SpanKind;
  context: TraceContext;
  parent: TraceContext | undefined;
  links?: readonly TraceContext[] | undefined;
  startedAt: number;
  endedAt: number;
  attributes: [name: string, value: AttributeValue][];
  error: string | undefined;
}
