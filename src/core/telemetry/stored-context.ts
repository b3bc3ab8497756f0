import type { Runtime } from '../runtime.ts';
import type { TraceContext } from './trace-context.ts';
import { formatTraceparent, parseTraceContext } from './trace-context.ts';
import { newTraceId } from './trace-ids.ts';

/** The span of a task, with the one that contains it, as a row keeps them. */
export interface TaskSpan {
  context: TraceContext;
  parent: TraceContext | undefined;
  /** The span that the task had before it was taken back from the dead letters. */
  earlier?: TraceContext | undefined;
  /** When it was taken back, in epoch milliseconds. */
  startedAt?: number | undefined;
}

export const formatTaskSpan = ({ context, parent, earlier, startedAt }: TaskSpan): string =>
  JSON.stringify({
    traceparent: formatTraceparent(context),
    ...(context.state !== undefined && { tracestate: context.state }),
    ...(parent && { parent: parent.spanId }),
    ...(earlier && { earlier: earlier.spanId }),
    startedAt,
  });

/** Undefined where nothing is stored, or nothing that this version can read. */
export function parseTaskSpan(text: string | null | undefined): TaskSpan | undefined {
  if (text === null || text === undefined) return undefined;
  const { traceparent, tracestate, parent, earlier, startedAt } = JSON.parse(text) as StoredSpan;
  const context = parseTraceContext(traceparent, tracestate);
  if (!context) return undefined;
  const inTrace = (spanId: string | undefined) => (spanId === undefined ? undefined : { ...context, spanId });
  return { context, parent: inTrace(parent), earlier: inTrace(earlier), startedAt };
}

interface StoredSpan {
  traceparent?: string;
  tracestate?: string;
  parent?: string;
  earlier?: string;
  startedAt?: number;
}

/**
 * The next span of a stored task whose span has ended, beside that and linked to it: a span is exported once. Telemetry need
 * not be on, because another daemon may export it.
 */
export function nextTaskSpan(
  text: string | null,
  runtime: Pick<Runtime, 'now' | 'newSecret'>,
): string | null {
  const ended = parseTaskSpan(text);
  if (!ended) return text;
  return formatTaskSpan({
    context: { ...ended.context, spanId: newTraceId(runtime, 8) },
    parent: ended.parent,
    earlier: ended.context,
    startedAt: runtime.now().getTime(),
  });
}
