import type { TraceKind, TraceSpan } from '../../contract/task-trace.ts';
import { toTraceRows, traceAxis } from '../../contract/trace-rows.ts';
import { formatDuration } from './duration.ts';
import { escapeLine } from './escape-text.ts';
import type { Paint } from './output.ts';
import { fitText, textWidth } from './text-width.ts';

/** Work is a heavy line, what contains it a light one, and a wait is dotted. */
const strokes: Record<TraceKind, string> = {
  task: '─',
  attempt: '─',
  step: '─',
  wait: '┈',
  approval: '┈',
  model: '━',
  tool: '━',
  verification: '━',
};
const colors: Record<TraceKind, Parameters<Paint>[0]> = {
  task: 'dim',
  attempt: 'dim',
  step: 'dim',
  wait: 'yellow',
  approval: 'yellow',
  model: 'cyan',
  tool: 'green',
  verification: 'magenta',
};
const marks: Record<TraceSpan['status'], string> = {
  ok: ' ',
  error: '✗',
  cancelled: '✗',
  interrupted: '!',
  running: '…',
};
const NARROWEST_NAME = 18;
const NARROWEST_BAR = 10;

/** The spans as lines with aligned durations and bars over one axis of time, each below the span that contains it. */
export function formatWaterfall(
  spans: readonly TraceSpan[],
  { width, paint }: { width: number; paint: Paint },
): string {
  if (spans.length === 0) return '';
  const rows = toTraceRows(spans);
  const labels = rows.map(({ depth, label }) => `${'  '.repeat(depth)}${escapeLine(label)}`);
  const durations = rows.map(({ span }) => formatDuration(span.durationMs));
  const durationWidth = Math.max(...durations.map(textWidth));
  const room = width - durationWidth - 6;
  const most = Math.max(NARROWEST_NAME, Math.min(Math.floor(width * 0.4), room - NARROWEST_BAR));
  const nameWidth = Math.min(most, Math.max(...labels.map(textWidth)));
  const barWidth = Math.max(NARROWEST_BAR, room - nameWidth);
  const { start, total } = traceAxis(spans);
  const lines = rows.map(({ span }, at) => {
    const name = fitText(labels[at] ?? '', nameWidth);
    const mark = paintMark(paint, span.status);
    const bar = barOf(span, { start, total, barWidth, paint });
    return `${name}${' '.repeat(nameWidth - textWidth(name))} ${mark} ${(durations[at] ?? '').padStart(durationWidth)}  ${bar}`;
  });
  const end = formatDuration(total);
  const axis = `0${end.padStart(barWidth - 1)}`;
  return `${[`${' '.repeat(nameWidth + durationWidth + 5)}${paint('dim', axis)}`, ...lines].join('\n')}\n`;
}

function barOf(
  { kind, status, startedAt, durationMs }: TraceSpan,
  { start, total, barWidth, paint }: { start: number; total: number; barWidth: number; paint: Paint },
): string {
  const offset = Math.max(0, Date.parse(startedAt) - start);
  const from = Math.min(barWidth - 1, Math.floor((offset / total) * barWidth));
  const to = Math.min(barWidth, Math.max(from + 1, Math.round(((offset + durationMs) / total) * barWidth)));
  const color = status === 'error' && strokes[kind] === '━' ? 'red' : colors[kind];
  return `${' '.repeat(from)}${paint(color, strokes[kind].repeat(to - from))}`;
}

function paintMark(paint: Paint, status: TraceSpan['status']): string {
  const mark = marks[status];
  return status === 'error' ? paint('red', mark) : mark === ' ' ? mark : paint('yellow', mark);
}
