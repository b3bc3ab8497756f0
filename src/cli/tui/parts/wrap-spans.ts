import { textWidth } from '../../output/text-width.ts';
import type { Line, Span } from './line.ts';

const graphemes = new Intl.Segmenter();
const ascii = /^[\u0020-\u007e]*$/;

/** Breaks text into lines at blanks, at newlines, beside wide letters, and where a word is too long for a line. */
export function wrapSpans(spans: readonly Span[], width: number): Line[] {
  const room = Math.max(1, width);
  const lines: Span[][] = [[]];
  let used = 0;
  let gap: Span[] = [];
  let word: Span[] = [];

  const put = (pieces: Span[]) => {
    for (const piece of pieces) append(lines.at(-1) ?? [], piece);
    used += widthOf(pieces);
  };
  const newLine = () => {
    lines.push([]);
    used = 0;
    gap = [];
  };
  const endWord = () => {
    if (word.length === 0) return;
    const wordWidth = widthOf(word);
    if (used > 0 && used + widthOf(gap) + wordWidth > room) newLine();
    else put(gap);
    gap = [];
    if (used + wordWidth <= room) put(word);
    else
      for (const { text, style } of word)
        for (const { segment } of graphemes.segment(text)) {
          if (used > 0 && used + textWidth(segment) > room) newLine();
          put([{ text: segment, style }]);
        }
    word = [];
  };

  for (const { text, style } of spans)
    for (const piece of piecesOf(text)) {
      if (piece === '\n') {
        endWord();
        newLine();
      } else if (piece.startsWith(' ')) {
        endWord();
        gap.push({ text: piece, style });
      } else if (ascii.test(piece) || textWidth(piece) === 1) {
        word.push({ text: piece, style });
      } else {
        endWord();
        word.push({ text: piece, style });
        endWord();
      }
    }
  endWord();
  return lines;
}

/** Breaks code into lines: every blank stays, and only what is too long is broken. */
export function breakSpan({ text, style }: Span, width: number): Line[] {
  const room = Math.max(1, width);
  return text.split('\n').flatMap((line): Line[] => {
    if (textWidth(line) <= room) return [line === '' ? [] : [{ text: line, style }]];
    const rows: Line[] = [];
    let row = '';
    let used = 0;
    for (const { segment } of graphemes.segment(line)) {
      const columns = textWidth(segment);
      if (used > 0 && used + columns > room) {
        rows.push([{ text: row, style }]);
        row = '';
        used = 0;
      }
      row += segment;
      used += columns;
    }
    return [...rows, [{ text: row, style }]];
  });
}

/**
 * Breaks one line of code into rows. Nothing is put before what continues: copied from the terminal, a broken line gains
 * no letters in its middle.
 */
export function breakCode(spans: readonly Span[], width: number, indent: number): Line[] {
  const prefix: Span = { text: ' '.repeat(indent) };
  const rows: Span[][] = [[prefix]];
  let used = indent;
  const newRow = () => {
    rows.push([]);
    used = 0;
  };
  for (const { text, style } of spans) {
    if (used + textWidth(text) <= width) {
      rows.at(-1)?.push({ text, style });
      used += textWidth(text);
      continue;
    }
    for (const { segment } of graphemes.segment(text)) {
      const columns = textWidth(segment);
      if (used > 0 && used + columns > width) newRow();
      append(rows.at(-1) ?? [], { text: segment, style });
      used += columns;
    }
  }
  return rows.map((row, at): Line => {
    const [first, ...others] = row;
    if (first === undefined || (first.text === prefix.text && others.every(({ text }) => text === '')))
      return [];
    return at === 0 ? row : [{ ...first, isContinued: true }, ...others];
  });
}

/** Newlines, blanks, runs of narrow letters, and wide letters each. */
function* piecesOf(text: string): Generator<string> {
  for (const [part] of text.matchAll(/\n| +|[^ \n]+/g)) {
    if (ascii.test(part) || part === '\n') {
      yield part;
      continue;
    }
    for (const { segment } of graphemes.segment(part)) yield segment;
  }
}

function append(line: Span[], { text, style }: Span): void {
  const last = line.at(-1);
  if (last && last.style === style) line[line.length - 1] = { text: last.text + text, style };
  else line.push({ text, style });
}

const widthOf = (pieces: readonly Span[]) => pieces.reduce((sum, { text }) => sum + textWidth(text), 0);
