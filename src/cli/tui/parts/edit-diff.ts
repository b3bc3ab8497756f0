import type { Approval } from '../../../contract/approvals.ts';
import { visibleText } from '../../../contract/visible-text.ts';
import { type Line, prefixLines, type Tone } from './line.ts';
import { breakSpan } from './wrap-spans.ts';

interface DiffRow {
  mark: ' ' | '-' | '+';
  text: string;
}

const tones: Record<DiffRow['mark'], Tone> = { ' ': 'muted', '-': 'bad', '+': 'good' };

/** The two texts of a call that replaces one by the other; undefined for any other call. */
export function editOf({
  toolName,
  params,
}: Pick<Approval, 'toolName' | 'params'>): { oldText: string; newText: string } | undefined {
  const { oldText, newText } = params;
  return toolName === 'edit_file' && typeof oldText === 'string' && typeof newText === 'string'
    ? { oldText, newText }
    : undefined;
}

/** What a replacement removes and adds, line by line, between the lines that both texts begin and end with. */
export function diffRows(oldText: string, newText: string): DiffRow[] {
  const before = oldText.split('\n');
  const after = newText.split('\n');
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const rows = (mark: DiffRow['mark'], lines: string[]) => lines.map((text) => ({ mark, text }));
  return [
    ...rows(' ', before.slice(0, start)),
    ...rows('-', before.slice(start, before.length - end)),
    ...rows('+', after.slice(start, after.length - end)),
    ...rows(' ', before.slice(before.length - end)),
  ];
}

/** The same with everything visible; the marks have columns of their own, in which no text of the call can stand. */
export const renderDiff = (oldText: string, newText: string, width: number): Line[] =>
  diffRows(oldText, newText).flatMap(({ mark, text }) => {
    const style = { tone: tones[mark] };
    return prefixLines(
      breakSpan({ text: visibleText(text), style }, width - 2),
      { text: `${mark} `, style },
      // Unlike an unchanged line, which it is not.
      { text: '· ', style },
    );
  });
