import { escapeLine } from './escape-text.ts';
import { fitMiddle, fitText, textWidth } from './text-width.ts';

export interface Column<T> {
  title: string;
  value: (row: T) => string;
  align?: 'right';
  /** Shrinks on a narrow terminal; other columns keep their width. */
  isElastic?: boolean;
  /** Where a text that is too long is cut; at its end unless set. */
  cut?: 'middle';
  /** Hidden on terminals narrower than this. */
  fromWidth?: number;
  /** Colours the finished cell. */
  paint?: (cell: string, row: T) => string;
}

const GAP = 2;
const NARROWEST = 8;

/** Formats rows in aligned columns that fit `width`. */
export function formatTable<T>(
  columns: Column<T>[],
  rows: readonly T[],
  options: { width: number; paintTitle?: (title: string) => string },
): string {
  const shown = columns.filter(({ fromWidth = 0 }) => options.width >= fromWidth);
  const cells = rows.map((row) => shown.map(({ value }) => escapeLine(value(row))));
  const natural = shown.map(({ title }, at) =>
    Math.max(textWidth(title), ...cells.map((line) => textWidth(line[at] ?? ''))),
  );
  const widths = shrink(natural, shown, options.width);
  const formatRow = (texts: string[], paint: (text: string, column: Column<T>) => string) =>
    shown
      .map((column, at) => {
        const width = widths[at] ?? 0;
        const text = (column.cut === 'middle' ? fitMiddle : fitText)(texts[at] ?? '', width);
        const space = ' '.repeat(Math.max(0, width - textWidth(text)));
        const painted = paint(text, column);
        if (column.align === 'right') return space + painted;
        return at === shown.length - 1 ? painted : painted + space;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const { paintTitle = (title) => title } = options;
  const lines = [
    formatRow(
      shown.map(({ title }) => title),
      paintTitle,
    ),
  ];
  for (const [at, row] of rows.entries())
    lines.push(formatRow(cells[at] ?? [], (text, { paint }) => (paint ? paint(text, row) : text)));
  return lines.map((line) => `${line}\n`).join('');
}

/** Shrinks the elastic columns, the widest first, until the row fits. */
function shrink<T>(natural: number[], columns: Column<T>[], width: number): number[] {
  const widths = [...natural];
  const gaps = GAP * (columns.length - 1);
  for (;;) {
    const excess = widths.reduce((sum, each) => sum + each, gaps) - width;
    if (excess <= 0) return widths;
    const elastic = columns.flatMap((column, at) => (column.isElastic ? [at] : []));
    const widest = elastic.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    const [at, next] = widest;
    const present = at === undefined ? 0 : (widths[at] ?? 0);
    if (at === undefined || present <= NARROWEST) return widths;
    const floor = Math.max(NARROWEST, next === undefined ? 0 : (widths[next] ?? 0));
    widths[at] = Math.max(present - excess, floor < present ? floor : present - 1);
  }
}
