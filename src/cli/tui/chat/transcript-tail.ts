import { styleText } from 'node:util';
import type { Line, Span } from '../parts/line.ts';
import { lookOf, type Theme } from '../parts/theme.tsx';
import { TranscriptLayout } from '../parts/transcript-layout.ts';
import type { ChatState } from './chat-state.ts';

/** The end of a transcript for the normal screen: what was on the last screens stays readable after the chat. */
export async function tailOf(
  { run: { entries }, firstShown }: ChatState,
  { width, height, theme }: { width: number; height: number; theme: Theme },
): Promise<string> {
  const shown = entries.slice(firstShown);
  if (!shown.some(({ kind }) => kind === 'person' || kind === 'text')) return '';
  const { highlightCode: highlight } = await import('../parts/highlight-code.ts');
  // An entry has a row at least, so those far above need not be rendered.
  const rows = new TranscriptLayout().rows(shown.slice(-height), width, {
    isThinkingShown: false,
    areResultsShown: false,
    highlight,
  });
  return `${printRows(rows.slice(Math.max(0, rows.length - height)), theme)}\n\n`;
}

/** Rows as text. A broken line of code is whole again: the terminal breaks it, and copies it whole. */
export function printRows(rows: readonly Line[], theme: Theme): string {
  return rows
    .map((row, at) => {
      const start = at === 0 || row[0]?.isContinued ? '' : '\n';
      return start + row.map((span) => paint(span, theme)).join('');
    })
    .join('');
}

type Formats = Extract<Parameters<typeof styleText>[0], readonly unknown[]>;

function paint({ text, style }: Span, theme: Theme): string {
  if (!style) return text;
  const { color, dimColor, bold, italic, underline, strikethrough } = lookOf(theme, style);
  const formats = [
    ...(color === undefined ? [] : [color]),
    ...(dimColor ? ['dim'] : []),
    ...(bold ? ['bold'] : []),
    ...(italic ? ['italic'] : []),
    ...(underline ? ['underline'] : []),
    ...(strikethrough ? ['strikethrough'] : []),
  ];
  return formats.length === 0 ? text : styleText(formats as Formats, text, { validateStream: false });
}
