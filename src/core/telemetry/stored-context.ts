import type { TraceContext } from './trace-context.ts';
import { formatTraceparent, parseTraceContext } from './trace-context.ts';

/** The span of a task, with the one that contains it, as a row keeps them. */
export interface TaskSpan {
  context: TraceContext;
  parent: TraceContext | undefined;
}

export const formatTaskSpan = ({ context, parent }: TaskSpan): string =>
  JSON.stringify({
    traceparent: formatTraceparent(context),
    ...(context.state !== undefined && { tracestate: context.state }),
    ...(parent && { parent: parent.spanId }),
  });

/** Undefined where nothing is stored, or nothing that this version can read. */
export function parseTaskSpan(text: string | null | undefined): TaskSpan | undefined {
  if (text === null || text === undefined) return undefined;
  const stored = JSON.parse(text) as { traceparent?: string; tracestate?: string; parent?: string };
  const context = parseTraceContext(stored.traceparent, stored.tracestate);
  if (!context) return undefined;
  const { parent } = stored;
  return { context, parent: parent === undefined ? undefined : { ...context, spanId: parent } };
}
