import type { TraceKind, TraceSpan } from './task-trace.ts';

/** A span as people read it. */
export interface TraceRow {
  span: TraceSpan;
  /** How many spans contain it. */
  depth: number;
  /** Its name, with what an agent or a model chose: `attempt 2 · builtin` for `invoke_agent builtin`. */
  label: string;
}

/** The spans of a trace, each below the one that contains it, by the time of their starts. */
export function toTraceRows(spans: readonly TraceSpan[]): TraceRow[] {
  const children = Map.groupBy(spans, ({ parent }) => parent);
  const below = (parent: string | undefined, depth: number): TraceRow[] =>
    (children.get(parent) ?? [])
      .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))
      .flatMap((span) => [{ span, depth, label: labelOf(span) }, ...below(span.id, depth + 1)]);
  return below(undefined, 0);
}

/** When a trace begins, and until when it lasts, in milliseconds. */
export function traceAxis(spans: readonly TraceSpan[]): { start: number; total: number } {
  const start = Date.parse(spans[0]?.startedAt ?? '');
  const ends = spans.map((span) => Date.parse(span.startedAt) - start + span.durationMs);
  return { start, total: ends.reduce((latest, end) => Math.max(latest, end), 1) };
}

/** Where the time of a task went, in all: `['waited', 5000], ['models', 2100]`; what took no time is left out. */
export function traceSums(spans: readonly TraceSpan[]): [name: string, ms: number][] {
  const sum = (kind: TraceKind) =>
    spans.filter((span) => span.kind === kind).reduce((total, { durationMs }) => total + durationMs, 0);
  const approvals = sum('approval');
  const sums: [string, number][] = [
    ['waited', sum('wait')],
    ['for approvals', approvals],
    ['models', sum('model')],
    // A call that waits for its approval does not work meanwhile.
    ['tools', Math.max(0, sum('tool') - approvals)],
    ['verification', sum('verification')],
  ];
  return sums.filter(([, ms]) => ms > 0);
}

function labelOf({ kind, name, attributes }: TraceSpan): string {
  const text = (key: string) => String(attributes[key] ?? '');
  if (kind === 'attempt') return `attempt ${text('svc.task.attempt')} · ${text('gen_ai.agent.name')}`;
  if (kind === 'model') return text('gen_ai.request.model') || 'model';
  if (kind === 'tool') return text('svc.tool.summary') || text('gen_ai.tool.name');
  return name;
}
