import { formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { fitText, textWidth } from '../../output/text-width.ts';
import { cleanText, type Line, prefixLines, type Span, type Style } from './line.ts';
import type { ToolEntry } from './run-entry.ts';
import { listArguments, formatArguments } from './format-arguments.ts';
import { breakSpan } from './wrap-spans.ts';
import { writtenFile } from './written-file.ts';

const marks: Record<ToolEntry['state'], Span> = {
  running: { text: '● ', style: { tone: 'accent' } },
  asking: { text: '? ', style: { tone: 'warning' } },
  ok: { text: '✓ ', style: { tone: 'good' } },
  failed: { text: '✗ ', style: { tone: 'bad' } },
  stopped: { text: '– ', style: { tone: 'muted' } },
};
/** More rows of one result are left to what the audit log or the file holds. */
const MOST_ROWS = 500;
const muted: Style = { tone: 'muted' };

/** A tool call: one row with its arguments shortened, and below it why it failed; unfolded, all that is known. */
export function renderToolCall(call: ToolEntry, width: number, isUnfolded: boolean): Line[] {
  const end = outcome(call);
  const name = fitText(escapeLine(call.name), Math.max(8, width - 12));
  const room = width - 2 - textWidth(name) - 2 - textWidth(end) - 2;
  const args = isUnfolded || room < 4 ? '' : fitText(subjectOf(call), room);
  const head: Line = [
    marks[call.state],
    { text: name, style: { isBold: true } },
    ...(args === '' ? [] : [{ text: `  ${args}`, style: muted }]),
    ...(end === '' ? [] : [{ text: `  ${end}`, style: muted }]),
  ];
  return [head, ...(isUnfolded ? details(call, width) : complaint(call, width))];
}

/** What a call is about: for a written file its path, because the text is in the diff. */
function subjectOf(call: ToolEntry): string {
  const path = writtenFile(call);
  return path === undefined ? formatArguments(call.arguments) : escapeLine(path);
}

/** How much came back and how long that took. */
function outcome({ result, state, startedAt, endedAt }: ToolEntry): string {
  if (state === 'asking') return 'waiting for you';
  if (state === 'running') return '';
  if (state === 'stopped') return 'stopped';
  const rows = result === undefined || result.trim() === '' ? 0 : result.trimEnd().split('\n').length;
  const size = state === 'failed' || rows === 0 ? [] : [rows === 1 ? '1 line' : `${rows} lines`];
  const time =
    startedAt === undefined || endedAt === undefined
      ? []
      : [formatDuration(Math.max(0, endedAt - startedAt))];
  return [...size, ...time].join(' · ');
}

function complaint({ state, result = '' }: ToolEntry, width: number): Line[] {
  const line = result.trim().split('\n')[0]?.trim() ?? '';
  if (state !== 'failed' || line === '') return [];
  return [[{ text: `  ${fitText(escapeLine(line), width - 2)}`, style: { tone: 'bad' } }]];
}

function details({ arguments: args, result }: ToolEntry, width: number): Line[] {
  const gutter: Span = { text: '  │ ', style: muted };
  const asked = listArguments(args).flatMap(({ name, text }) =>
    text.includes('\n')
      ? [[{ text: `${escapeLine(name)}:`, style: muted }], ...body(text, width - 4)]
      : body(name === '' ? text : `${escapeLine(name)}: ${text}`, width - 4),
  );
  if (result === undefined) return prefixLines(asked, gutter);
  const answered = body(result.replaceAll('\r\n', '\n').trimEnd(), width - 4);
  const more = answered.length - MOST_ROWS;
  return prefixLines(
    [
      ...asked,
      ...(asked.length > 0 ? [[{ text: '─'.repeat(Math.min(20, width - 4)), style: muted }]] : []),
      ...answered.slice(0, MOST_ROWS),
      ...(more > 0 ? [[{ text: `… ${more} more lines`, style: muted }]] : []),
    ],
    gutter,
  );
}

const body = (text: string, width: number) => breakSpan({ text: cleanText(text) }, width);
