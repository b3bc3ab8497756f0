import type { Tokens } from 'marked';
import { renderInline } from './render-inline.ts';
import { type Line, lineWidth, type Span } from './line.ts';
import { wrapSpans } from './wrap-spans.ts';

const GAP = 3;
/** Columns that would be narrower cannot be read: the cells are then listed below each other. */
const NARROWEST = 6;

/** A table with its columns as wide as they need, or as they fit. */
export function renderTable({ header, rows, align }: Tokens.Table, width: number): Line[] {
  const heads = header.map(({ tokens }) => renderInline(tokens, { isBold: true }));
  const cells = rows.map((row) => row.map(({ tokens }) => renderInline(tokens)));
  const natural = heads.map((head, at) =>
    Math.max(1, lineWidth(head), ...cells.map((row) => lineWidth(row[at] ?? []))),
  );
  const widths = fit(natural, width - GAP * (natural.length - 1));
  if (!widths) return listRows(heads, cells, width);
  const rule: Line = [
    { text: widths.map((columns) => '─'.repeat(columns)).join('─┼─'), style: { tone: 'muted' } },
  ];
  return [...renderRow(heads, widths, align), rule, ...cells.flatMap((row) => renderRow(row, widths, align))];
}

function renderRow(row: Span[][], widths: number[], align: Tokens.Table['align']): Line[] {
  const columns = widths.map((width, at) => wrapSpans(row[at] ?? [], width));
  const height = Math.max(...columns.map(({ length }) => length));
  return Array.from({ length: height }, (_, y) =>
    widths.flatMap((width, at): Span[] => {
      const line = columns[at]?.[y] ?? [];
      const left = space(width - lineWidth(line), align[at] ?? null);
      const right = width - lineWidth(line) - left;
      const isLast = at === widths.length - 1;
      return [
        ...(left > 0 ? [{ text: ' '.repeat(left) }] : []),
        ...line,
        ...(isLast ? [] : [{ text: ' '.repeat(right) }, { text: ' │ ', style: { tone: 'muted' } as const }]),
      ];
    }),
  );
}

function space(free: number, align: 'left' | 'center' | 'right' | null): number {
  if (align === 'right') return free;
  return align === 'center' ? Math.floor(free / 2) : 0;
}

/** Takes from the widest columns until all fit; undefined where that makes one too narrow. */
function fit(natural: number[], room: number): number[] | undefined {
  const widths = [...natural];
  for (let over = widths.reduce((a, b) => a + b, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    const present = widths[widest] ?? 0;
    if (present <= NARROWEST) return undefined;
    widths[widest] = present - 1;
  }
  return widths;
}

function listRows(heads: Span[][], cells: Span[][][], width: number): Line[] {
  return cells.flatMap((row, y): Line[] => [
    ...(y > 0 ? [[]] : []),
    ...row.flatMap((cell, at) => wrapSpans([...(heads[at] ?? []), { text: ': ' }, ...cell], width)),
  ]);
}
