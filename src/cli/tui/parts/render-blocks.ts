import type { MarkedToken, Token, Tokens } from 'marked';
import { renderInline } from './render-inline.ts';
import { renderTable } from './render-table.ts';
import type { Highlight } from './highlight-code.ts';
import { cleanText, type Line, prefixLines, type Span } from './line.ts';
import { breakCode, breakSpan, wrapSpans } from './wrap-spans.ts';

const MAX_RULE = 40;
const CODE_INDENT = 2;

interface Options {
  width: number;
  highlight?: Highlight | undefined;
  /** The first block is the rest of one that was split. */
  isContinued?: boolean;
}

/** The blocks of a Markdown text as rows, with a blank row before each that needs one. */
export function renderBlocks(
  tokens: readonly Token[],
  options: Options,
  needsGap: (block: Token) => boolean = () => true,
): Line[] {
  const lines: Line[] = [];
  for (const [at, block] of joinWords(tokens).entries()) {
    const isContinued = at === 0 && options.isContinued === true;
    const rows = blockLines(block as MarkedToken, { ...options, isContinued });
    if (rows.length === 0) continue;
    if (lines.length > 0 && needsGap(block)) lines.push([]);
    for (const row of rows) lines.push(row);
  }
  return lines;
}

/** The checkbox of a list item goes next to its text, not above it. */
function joinWords(tokens: readonly Token[]): readonly Token[] {
  const [box, words, ...others] = tokens;
  if (box?.type !== 'checkbox' || words?.type !== 'text') return tokens;
  const text: Tokens.Text = { type: 'text', raw: '', text: '', tokens: [box, words] };
  return [text, ...others];
}

function blockLines(token: MarkedToken, options: Options): Line[] {
  const { width, highlight } = options;
  switch (token.type) {
    case 'heading':
      return wrapSpans(renderInline(token.tokens, { tone: 'heading' }), width);
    case 'code':
      return codeLines(token, options);
    case 'list':
      return listLines(token, options);
    case 'blockquote':
      return prefixLines(renderBlocks(token.tokens, { width: width - 2, highlight }), {
        text: '▎ ',
        style: { tone: 'muted' },
      });
    case 'table':
      return renderTable(token, width);
    case 'hr':
      return [[{ text: '─'.repeat(Math.min(width, MAX_RULE)), style: { tone: 'muted' } }]];
    case 'html':
      return breakSpan({ text: cleanText(token.text.trimEnd()), style: { tone: 'muted' } }, width);
    case 'space':
    case 'def':
      return [];
    case 'paragraph':
      return wrapSpans(renderInline(token.tokens), width);
    case 'list_item':
      return renderBlocks(token.tokens, { width, highlight });
    case 'br':
    case 'checkbox':
    case 'codespan':
    case 'del':
    case 'em':
    case 'escape':
    case 'image':
    case 'link':
    case 'strong':
    case 'text':
      return wrapSpans(renderInline([token]), width);
  }
}

function codeLines({ text, lang = '' }: Tokens.Code, { width, highlight, isContinued }: Options): Line[] {
  const [language = ''] = lang.split(/[\s,{]/, 1);
  const lines =
    highlight?.(text, language) ??
    cleanText(text)
      .split('\n')
      .map((line): Span[] => [{ text: line, style: { tone: 'code' } }]);
  const name: Line[] = lang && !isContinued ? [[{ text: cleanText(lang), style: { tone: 'muted' } }]] : [];
  return [...name, ...lines.flatMap((line) => breakCode(line, width, CODE_INDENT))];
}

function listLines({ items, ordered, start, loose }: Tokens.List, { width, highlight }: Options): Line[] {
  const first = Number(start === '' ? 1 : start);
  const markWidth = ordered ? String(first + items.length - 1).length + 2 : 2;
  return items.flatMap(({ tokens }, at) => {
    const mark: Span = {
      text: ordered ? `${first + at}. `.padStart(markWidth) : '• ',
      style: { tone: 'accent' },
    };
    const inner = { width: width - markWidth, highlight };
    const body = renderBlocks(tokens, inner, ({ type }) => loose && type !== 'list');
    const lines = prefixLines(body.length === 0 ? [[]] : body, mark, { text: ' '.repeat(markWidth) });
    return loose && at > 0 ? [[], ...lines] : lines;
  });
}
