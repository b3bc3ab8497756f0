import Anser from 'anser';
import { escapeText } from '../../contract/escape-text.ts';

/** A part of a line with the classes of its colors. */
export interface AnsiPart {
  text: string;
  colors: readonly string[];
}

const ESCAPE = '\u001b';
const shortSequence = /^(?:[()*+][ -~]|[=>78cDEHMNOZ\\])/;

/**
 * The text of a program in parts with names such as `ansi-red` and `bold`. Other sequences for terminals are left out; what
 * else a reader would not see is escaped. Of a line that was written over, the last writing is shown.
 */
export function ansiParts(line: string): AnsiPart[] {
  const text = withoutSequences(lastWriting(line));
  if (!text.includes(ESCAPE)) return [{ text: escapeText(text), colors: [] }];
  return Anser.ansiToJson(text, { json: true, use_classes: true, remove_empty: true }).map(
    ({ content, fg, decorations }) => ({
      text: escapeText(content),
      colors: [...(fg ? [fg] : []), ...decorations.filter((name) => name !== 'hidden' && name !== 'blink')],
    }),
  );
}

/** The words of a line, as a search reads them. */
export const plainLine = (line: string): string =>
  line.includes(ESCAPE) || line.includes('\r')
    ? ansiParts(line)
        .map(({ text }) => text)
        .join('')
    : line;

/** Whether a part of the line is not shown because it was written over. */
export const isOverwritten = (line: string): boolean => withoutReturns(line).includes('\r');

function lastWriting(line: string): string {
  if (!line.includes('\r')) return line;
  const rest = withoutReturns(line);
  return rest.slice(rest.lastIndexOf('\r') + 1);
}

function withoutReturns(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(0, end);
}

function withoutSequences(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  const [first = '', ...rest] = text.split(ESCAPE);
  return rest.reduce((before, part, at) => before + withoutSequence(part, rest[at + 1]), first);
}

/** The text after an escape character without its sequence; colors are kept, and what is no whole sequence. */
function withoutSequence(part: string, next: string | undefined): string {
  // Titles, links and other strings for the terminal.
  if (/^[\]PX^_]/.test(part)) {
    const bell = part.startsWith(']') ? part.indexOf('\u0007') : -1;
    if (bell >= 0) return part.slice(bell + 1);
    return next?.startsWith('\\') ? '' : ESCAPE + part;
  }
  const short = shortSequence.exec(part)?.[0];
  return short ? part.slice(short.length) : ESCAPE + part;
}
