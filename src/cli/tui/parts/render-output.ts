import { stripVTControlCharacters } from 'node:util';
import { cleanText, type Line } from './line.ts';
import type { OutputEntry } from './run-entry.ts';
import { breakSpan } from './wrap-spans.ts';

/** The limit of rendered output; earlier lines are omitted. */
const MOST_LETTERS = 200_000;

/** What a program wrote: its colours are left out, and of a line that it wrote over, the last writing is shown. */
export function renderOutput({ stream, text }: OutputEntry, width: number): Line[] {
  const isCut = text.length > MOST_LETTERS;
  const end = isCut ? text.slice(text.indexOf('\n', text.length - MOST_LETTERS) + 1) : text;
  const lines = stripVTControlCharacters(end)
    .replaceAll('\r\n', '\n')
    .replaceAll(/(?<![^\n])[^\n]*\r(?=[^\n])/g, '')
    .replaceAll('\r', '')
    .replace(/\n$/, '');
  const rows = breakSpan(
    { text: cleanText(lines), ...(stream === 'stderr' && { style: { tone: 'warning' } }) },
    width,
  );
  return isCut ? [[{ text: '… earlier output is not shown', style: { tone: 'muted' } }], ...rows] : rows;
}
