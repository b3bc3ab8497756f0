import { marked, type Token } from 'marked';
import { completeMarkdown } from './complete-markdown.ts';
import type { Highlight } from './highlight-code.ts';
import { renderBlocks } from './render-blocks.ts';
import type { Line } from './line.ts';
import { settlePart } from './settle-block.ts';

/** A text as rows, and how much of it will not change when more of it comes. */
export interface MarkdownLayout {
  /** The rows that will not change; layouts of the longer text append to the same list. */
  settled: Line[];
  /** The rows below them. */
  tail: readonly Line[];
  width: number;
  progress: Progress;
}

interface Progress {
  /** How many rows are settled. */
  rows: number;
  /** How much of the source they show, and how that ends. */
  length: number;
  ending: string;
  /** Within a block that was split: what its rest needs before it. */
  opening: string | undefined;
}

interface Options {
  isComplete?: boolean;
  earlier?: MarkdownLayout | undefined;
  highlight?: Highlight | undefined;
}

/** These many of the last blocks may still turn out to be something else. */
const UNSETTLED = 2;
/** Enough to notice that a text is another one. */
const ENDING = 64;

/**
 * Renders Markdown as rows of a width. While it is being written, give the layout of what there was before: only the
 * end of the text is then read again.
 */
export function renderMarkdown(
  text: string,
  width: number,
  { isComplete = true, earlier, highlight }: Options = {},
): MarkdownLayout {
  const present = earlier && isBeginning(earlier, text, width) ? earlier : undefined;
  let progress: Progress = present?.progress ?? { rows: 0, length: 0, ending: '', opening: undefined };
  const settled = present ? rowsOf(present) : [];
  const lex = () => {
    const rest = (progress.opening ?? '') + text.slice(progress.length);
    return marked.lexer(isComplete ? rest : completeMarkdown(rest));
  };
  const render = (tokens: readonly Token[]): Line[] => {
    const isContinued = progress.opening !== undefined;
    const lines = renderBlocks(tokens, { width, highlight, isContinued });
    if (!isContinued && lines.length > 0 && progress.rows > 0) lines.unshift([]);
    return lines;
  };
  /** Whether the blocks stand in the text as they were read: the lexer changes line ends, for example. */
  const settle = (tokens: readonly Token[], source: string, opening?: string): boolean => {
    const added = source.slice(progress.opening?.length ?? 0);
    if (added === '' || !text.startsWith(added, progress.length)) return false;
    for (const line of render(tokens)) settled.push(line);
    const length = progress.length + added.length;
    progress = {
      rows: settled.length,
      length,
      ending: text.slice(Math.max(0, length - ENDING), length),
      opening,
    };
    return true;
  };

  let tokens: readonly Token[] = lex();
  const end = endOfSettled(tokens);
  if (settle(tokens.slice(0, end), rawOf(tokens.slice(0, end)))) tokens = tokens.slice(end);
  // A long block is split, and all before it is settled as well.
  const at = tokens.findLastIndex((token) => settlePart(token) !== undefined);
  const long = tokens[at];
  if (long && (at === 0 || settle(tokens.slice(0, at), rawOf(tokens.slice(0, at))))) {
    const part = settlePart(long);
    if (part) settle(marked.lexer(part.source), part.source, part.opening);
    tokens = lex();
  }
  return { settled, tail: render(tokens), width, progress };
}

/** A text as rows. */
export function markdownLines(text: string, width: number): readonly Line[] {
  const { settled, tail } = renderMarkdown(text, width);
  return [...settled, ...tail];
}

const isBeginning = (
  { width: present, progress: { length, ending } }: MarkdownLayout,
  text: string,
  width: number,
) => present === width && text.length >= length && text.startsWith(ending, length - ending.length);

/** The list itself, or a copy where a longer text has appended to it. */
const rowsOf = ({ settled, progress: { rows } }: MarkdownLayout): Line[] =>
  settled.length === rows ? settled : settled.slice(0, rows);

const rawOf = (tokens: readonly Token[]): string => tokens.map(({ raw }) => raw).join('');

function endOfSettled(tokens: readonly Token[]): number {
  let left = UNSETTLED;
  for (let at = tokens.length - 1; at >= 0; at--) {
    if (tokens[at]?.type === 'space') continue;
    left -= 1;
    if (left === 0) return at;
  }
  return 0;
}
