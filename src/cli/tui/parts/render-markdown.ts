import { marked, type Token } from 'marked';
import { completeMarkdown } from './complete-markdown.ts';
import { renderBlocks } from './render-blocks.ts';
import type { Line } from './line.ts';

/** A text as rows, and its beginning that will not change when more of it comes. */
export interface MarkdownLayout {
  lines: readonly Line[];
  width: number;
  settled: { text: string; lines: readonly Line[] };
}

/** These many of the last blocks may still turn out to be something else. */
const UNSETTLED = 2;

/**
 * Renders Markdown as rows of a width. While it is being written, give the layout of what there was before: only the
 * end of the text is then read again.
 */
export function renderMarkdown(
  text: string,
  width: number,
  { isComplete = true, earlier }: { isComplete?: boolean; earlier?: MarkdownLayout | undefined } = {},
): MarkdownLayout {
  const isLonger = earlier?.width === width && text.startsWith(earlier.settled.text);
  const before = isLonger ? earlier.settled : { text: '', lines: [] };
  const rest = text.slice(before.text.length);
  const tokens = marked.lexer(isComplete ? rest : completeMarkdown(rest));
  const end = endOfSettled(tokens);
  const source = tokens
    .slice(0, end)
    .map(({ raw }) => raw)
    .join('');
  const lines = join(before.lines, renderBlocks(tokens.slice(0, end), width));
  return {
    lines: join(lines, renderBlocks(tokens.slice(end), width)),
    width,
    // Where the lexer changed the text, such as its line ends, the end of a block in the source is unknown.
    settled: rest.startsWith(source) ? { text: before.text + source, lines } : before,
  };
}

/** A text as rows. */
export const markdownLines = (text: string, width: number): readonly Line[] =>
  renderMarkdown(text, width).lines;

function endOfSettled(tokens: readonly Token[]): number {
  let left = UNSETTLED;
  for (let at = tokens.length - 1; at >= 0; at--) {
    if (tokens[at]?.type === 'space') continue;
    left -= 1;
    if (left === 0) return at;
  }
  return 0;
}

const join = (head: readonly Line[], tail: readonly Line[]): readonly Line[] =>
  head.length === 0 || tail.length === 0 ? [...head, ...tail] : [...head, [], ...tail];
