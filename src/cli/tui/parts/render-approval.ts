import type { Approval } from '../../../contract/approvals.ts';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { type Line, prefixLines } from './line.ts';
import { argumentName, listArguments } from './format-arguments.ts';
import { isWholeDiff, renderDiff } from './render-diff.ts';
import { breakSpan, wrapSpans } from './wrap-spans.ts';

const INDENT = '  ';

type Field = { name: string; text: string } | { name: string; rows: (width: number) => Line[] };

/** The arguments that hold the texts of a change, by tool. */
const shownByDiff: Record<string, readonly string[]> = {
  edit_file: ['oldText', 'newText'],
  write_file: ['content'],
};

/** The arguments beside those that the diff of the call shows. */
export function otherParams({
  toolName,
  params,
  diff,
}: Pick<Approval, 'toolName' | 'params' | 'diff'>): Approval['params'] {
  const shown = isWholeDiff(diff) ? (shownByDiff[toolName] ?? []) : [];
  return Object.fromEntries(Object.entries(params).filter(([name]) => !shown.includes(name)));
}

/**
 * Everything that a decision is based on, in full and with everything visible. Names of arguments are in quotes, and no
 * other line begins at the left edge, so that no argument can look like another one or like a row of ours.
 */
export function renderApproval(approval: Approval, width: number): Line[] {
  const { reason, cwd, scripts = [], alwaysCovers, diff } = approval;
  const fields: Field[] = [
    ...listArguments(otherParams(approval)).map(({ name, text }) => ({
      name: argumentName(name),
      text: visibleText(text),
    })),
    ...(diff ? [{ name: 'change', rows: (room: number) => renderDiff(diff, room) }] : []),
    ...scripts.map(({ path, sha256 }) => ({
      name: 'script',
      text: `${visibleLine(path)}\nsha256:${sha256}`,
    })),
    ...(alwaysCovers === undefined ? [] : [{ name: 'always', text: visibleLine(alwaysCovers) }]),
    ...(cwd === '' ? [] : [{ name: 'in', text: visibleLine(cwd) }]),
  ];
  const indent = Math.min(16, Math.max(0, ...fields.map(({ name }) => name.length)) + 2);
  const why = wrapSpans([{ text: visibleLine(reason), style: { tone: 'muted' } }], width - INDENT.length);
  return [
    ...why.map((line, at): Line => (at === 0 ? line : [{ text: INDENT }, ...line])),
    ...fields.flatMap((field) => {
      const { name } = field;
      const rows =
        'rows' in field ? field.rows(width - indent) : breakSpan({ text: field.text }, width - indent);
      const isLong = name.length + 2 > indent;
      const title = { text: name.padEnd(indent), style: { tone: 'muted' } as const };
      const blank = { text: ' '.repeat(indent) };
      if (!isLong) return prefixLines(rows, title, blank);
      const titles = breakSpan({ text: name, style: { tone: 'muted' } }, width - INDENT.length);
      return [...prefixLines(titles, { text: '' }, { text: INDENT }), ...prefixLines(rows, blank)];
    }),
  ];
}
