import type { FileDiff } from '../../../contract/approvals.ts';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { type Line, prefixLines, type Tone } from './line.ts';
import { type DiffLine, parseDiff } from './parse-diff.ts';
import { breakSpan } from './wrap-spans.ts';

const tones: Record<DiffLine['mark'], Tone> = { ' ': 'muted', '-': 'bad', '+': 'good', '\\': 'muted' };

/** Whether the diff shows all that the call changes, so that the texts among its arguments add nothing. */
export const isWholeDiff = (diff: FileDiff | undefined): diff is FileDiff =>
  diff !== undefined && diff.text !== '' && !diff.truncated;

/**
 * A diff with line numbers, everything visible. Numbers and marks have columns of their own, in which no text of the file
 * can stand.
 */
export function renderDiff(diff: FileDiff, width: number): Line[] {
  const { text, created, truncated, unavailable } = diff;
  const note = (words: string): Line[] => breakSpan({ text: words, style: { tone: 'muted' } }, width);
  if (unavailable !== undefined) return note(visibleLine(unavailable));
  if (text === '') return note(created ? 'new empty file' : 'nothing changes');
  const hunks = parseDiff(text);
  const last = hunks.flat().reduce((most, { old = 0, now = 0 }) => Math.max(most, old, now), 0);
  const columns = String(last).length;
  return [
    ...note(`${created ? 'new file, ' : ''}${counts(diff)}`),
    ...hunks.flatMap((hunk, at) => [
      ...(at > 0 ? note(`${' '.repeat(columns)} ⋮`) : []),
      ...hunk.flatMap((line) => renderLine(line, columns, width)),
    ]),
    ...(truncated ? note('The diff continues; the arguments are complete.') : []),
  ];
}

const counts = ({ added, removed }: FileDiff) =>
  [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ');

function renderLine({ mark, text, old, now }: DiffLine, columns: number, width: number): Line[] {
  const style = { tone: tones[mark] };
  const number = String((mark === '-' ? old : now) ?? '').padStart(columns);
  const rows = breakSpan({ text: visibleText(text), style }, width - columns - 3);
  // A broken line continues unlike an unchanged line, which it is not.
  return prefixLines(
    rows,
    { text: `${number} ${mark} `, style },
    { text: `${' '.repeat(columns)} · `, style },
  );
}
