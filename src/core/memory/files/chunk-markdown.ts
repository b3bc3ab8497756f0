import { isBlank } from './pack-lines.ts';

/** Longer headings are truncated. */
const MAX_HEADING = 200;
/** Maximum length of a heading path; outer headings are dropped first. */
const MAX_HEADING_PATH = 400;
/** Maximum lines of a setext (underlined) heading. */
const MAX_HEADING_LINES = 3;

export interface Section {
  /** The heading path from the outermost heading to its own. */
  heading: string;
  /** Zero-based; includes the line of the heading. */
  start: number;
  /** The line after the last one. */
  end: number;
}

interface Heading {
  line: number;
  /** The line after it. */
  end: number;
  level: number;
  text: string;
}

/** Splits Markdown into sections by heading. A section with only a heading is merged into the next one. */
export function markdownSections(rawLines: string[]): Section[] {
  const lines = withoutByteOrderMark(rawLines);
  const body = afterFrontMatter(lines);
  const sections: Section[] = [];
  const above: Heading[] = [];
  let start = 0;
  let contentStart = body;
  const close = (end: number) => {
    if (isBlankBetween(lines, contentStart, end) && end < lines.length) return;
    const heading = headingPath(above);
    sections.push({ heading, start, end });
    start = end;
  };
  for (const heading of headingsOf(lines, body)) {
    close(heading.line);
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    above.push(heading);
    contentStart = heading.end;
  }
  close(lines.length);
  return sections;
}

function headingPath(headings: Heading[]): string {
  let path = '';
  for (const { text } of headings.toReversed()) {
    if (text === '') continue;
    if (path.length + text.length > MAX_HEADING_PATH) break;
    path = path === '' ? text : `${text} > ${path}`;
  }
  return path;
}

function withoutByteOrderMark(lines: string[]): string[] {
  const first = lines[0] ?? '';
  return first.startsWith('\uFEFF') ? lines.with(0, first.slice(1)) : lines;
}

function isBlankBetween(lines: string[], start: number, end: number): boolean {
  for (let line = start; line < end; line++) if (!isBlank(lines[line])) return false;
  return true;
}

/** The line after the front matter, which is kept with the first section. */
function afterFrontMatter(lines: string[]): number {
  const fence = (lines[0] ?? '').trimEnd();
  if (fence !== '---' && fence !== '+++') return 0;
  const end = lines.findIndex((line, at) => at > 0 && (line.trimEnd() === fence || line.trimEnd() === '...'));
  return end + 1;
}

function* headingsOf(lines: string[], start: number): Generator<Heading> {
  let fence: string | undefined;
  // The pattern that ends the current HTML block.
  let htmlEnd: RegExp | undefined;
  // The first line of the current paragraph.
  let paragraph: number | undefined;
  for (let line = start; line < lines.length; line++) {
    const text = lines[line] ?? '';
    if (htmlEnd) {
      if (htmlEnd.test(text)) htmlEnd = undefined;
      continue;
    }
    const mark = fenceOf(text);
    if (fence !== undefined) {
      if (mark?.marks.startsWith(fence) && mark.rest === '') fence = undefined;
      continue;
    }
    if (mark && !(mark.marks.startsWith('`') && mark.rest.includes('`'))) {
      fence = mark.marks;
      paragraph = undefined;
      continue;
    }
    const end = endOfHtml(text);
    if (end) {
      if (!end.test(text)) htmlEnd = end;
      paragraph = undefined;
      continue;
    }
    const level = /^ {0,3}(#{1,6})(?=[ \t\r]|$)/.exec(text)?.[1]?.length;
    if (level !== undefined) {
      yield { line, end: line + 1, level, text: headingText(text) };
      paragraph = undefined;
      continue;
    }
    const underline = paragraph === undefined ? undefined : /^ {0,3}(=|-)\1*[ \t\r]*$/.exec(text)?.[1];
    if (underline !== undefined && paragraph !== undefined) {
      if (line - paragraph <= MAX_HEADING_LINES) {
        const title = headingText(lines.slice(paragraph, line).join(' '));
        yield { line: paragraph, end: line + 1, level: underline === '=' ? 1 : 2, text: title };
      }
      paragraph = undefined;
      continue;
    }
    if (isBlank(text) || isNoParagraph(text)) paragraph = undefined;
    else if (paragraph !== undefined || !/^(?: {4}|\t)/.test(text)) paragraph ??= line;
  }
}

/** Lists, quotes, tables and thematic breaks cannot be setext headings. */
const isNoParagraph = (line: string) => /^ {0,3}(?:[-*+>|]|\d{1,9}[.)])/.test(line);

/** The pattern that ends an HTML block starting on this line; its content is not parsed as Markdown. */
function endOfHtml(line: string): RegExp | undefined {
  if (/^ {0,3}<!--/.test(line)) return /-->/;
  const isVerbatim = /^ {0,3}<(?:pre|script|style|textarea)(?=[ \t\r>]|$)/i.test(line);
  return isVerbatim ? /<\/(?:pre|script|style|textarea)>/i : undefined;
}

function fenceOf(line: string): { marks: string; rest: string } | undefined {
  const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line);
  if (!marks?.[1]) return undefined;
  return { marks: marks[1], rest: line.slice(marks[0].length).trim() };
}

function headingText(line: string): string {
  const text = line
    .slice(0, 4 * MAX_HEADING)
    .trim()
    .replace(/^#{1,6}(?=\s|$)/, '')
    .trim();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  const isClosing = end === 0 || /\s/.test(text[end - 1] ?? '');
  const bare = (isClosing ? text.slice(0, end) : text).trim().replace(/\s+/g, ' ');
  return bare.slice(0, MAX_HEADING).replace(/[\ud800-\udbff]$/, '');
}
