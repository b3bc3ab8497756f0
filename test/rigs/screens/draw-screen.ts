import Anser, { type AnserJsonEntry } from 'anser';
import { textWidth } from '../../../src/cli/output/text-width.ts';

const CELL = 8.43;
const LINE = 20;
const LEFT = 20;
const TOP = 52;
const BACKGROUND = '#1b1f27';
const TEXT = '#d8dee9';
/** The colors of the terminal in the pictures, by the names that the parser gives them. */
const palette: Record<string, string> = {
  'ansi-black': '#3b4252',
  'ansi-red': '#e8838f',
  'ansi-green': '#8fce7a',
  'ansi-yellow': '#e5c07b',
  'ansi-blue': '#81a1c1',
  'ansi-magenta': '#c792ea',
  'ansi-cyan': '#7fd1c7',
  'ansi-white': '#d8dee9',
  'ansi-bright-black': '#8a94a6',
  'ansi-bright-red': '#e8838f',
  'ansi-bright-green': '#8fce7a',
  'ansi-bright-yellow': '#e5c07b',
  'ansi-bright-blue': '#81a1c1',
  'ansi-bright-magenta': '#c792ea',
  'ansi-bright-cyan': '#7fd1c7',
  'ansi-bright-white': '#eceff4',
};

/** Draws what a terminal shows as an SVG picture; `label` says in words what is to be seen. */
export function drawScreen(screen: string, { columns, label }: { columns: number; label: string }): string {
  const lines = linesOf(screen.trimEnd());
  const width = Math.ceil(LEFT * 2 + columns * CELL);
  const height = TOP + (lines.length - 1) * LINE + 28;
  const rows = lines.map((spans, row) => drawLine(spans, TOP + row * LINE)).filter((line) => line !== '');
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    '<g fill="#3b4252"><circle cx="20" cy="18" r="6"/><circle cx="40" cy="18" r="6"/><circle cx="60" cy="18" r="6"/></g>',
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
    ...rows,
    '</g></svg>',
  ].join('\n')}\n`;
}

/** The spans of each line; a style continues over the end of a line. */
function linesOf(screen: string): AnserJsonEntry[][] {
  const lines: AnserJsonEntry[][] = [[]];
  for (const span of Anser.ansiToJson(screen, { json: true, remove_empty: true, use_classes: true })) {
    const [first = '', ...others] = span.content.split('\n');
    lines.at(-1)?.push({ ...span, content: first });
    for (const content of others) lines.push([{ ...span, content }]);
  }
  return lines;
}

function drawLine(spans: readonly AnserJsonEntry[], y: number): string {
  let column = 0;
  const drawn: string[] = [];
  for (const span of spans) {
    const cells = textWidth(span.content);
    const x = LEFT + column * CELL;
    const size = `x="${round(x)}" width="${round(cells * CELL)}"`;
    const background = colorOf(span.bg);
    if (background && cells > 0)
      drawn.push(`<rect ${size} y="${y - 15}" height="${LINE}" fill="${background}"/>`);
    if (span.content.trim() !== '') drawn.push(drawText(span, { x, y, cells }));
    column += cells;
  }
  return drawn.join('');
}

function drawText(span: AnserJsonEntry, { x, y, cells }: { x: number; y: number; cells: number }): string {
  const { decorations, content } = span;
  const dim = decorations.includes('dim') ? palette['ansi-bright-black'] : undefined;
  const style = [
    `fill="${colorOf(span.fg) ?? dim ?? TEXT}"`,
    ...(decorations.includes('bold') ? ['font-weight="bold"'] : []),
    ...(decorations.includes('italic') ? ['font-style="italic"'] : []),
    ...(decorations.includes('underline') ? ['text-decoration="underline"'] : []),
  ].join(' ');
  return `<text x="${round(x)}" y="${y}" textLength="${round(cells * CELL)}" ${style}>${escaped(content)}</text>`;
}

const colorOf = (name: string | null): string | undefined => (name === null ? undefined : palette[name]);
const round = (value: number) => value.toFixed(1);
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
