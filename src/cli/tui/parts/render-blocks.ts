import type { MarkedToken, Token, Tokens } from 'marked';
import { renderInline } from './render-inline.ts';
import { renderTable } from './render-table.ts';
import { cleanText, type Line, prefixLines, type Span } from './line.ts';
import { breakSpan, wrapSpans } from './wrap-spans.ts';

const MAX_RULE = 40;

/** The blocks of a Markdown text as rows, with a blank row before each that needs one. */
export function renderBlocks(
  tokens: readonly Token[],
  width: number,
  needsGap: (block: Token) => boolean = () => true,
): Line[] {
  const lines: Line[] = [];
  for (const block of joinWords(tokens)) {
    const rows = blockLines(block as MarkedToken, width);
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

function blockLines(token: MarkedToken, width: number): Line[] {
  switch (token.type) {
    case 'heading':
      return wrapSpans(renderInline(token.tokens, { tone: 'heading' }), width);
    case 'code':
      return codeLines(token, width);
    case 'list':
      return listLines(token, width);
    case 'blockquote':
      return prefixLines(renderBlocks(token.tokens, width - 2), { text: '▎ ', style: { tone: 'muted' } });
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
      return renderBlocks(token.tokens, width);
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

function codeLines({ text, lang }: Tokens.Code, width: number): Line[] {
  const body = breakSpan({ text: cleanText(text), style: { tone: 'code' } }, width - 2);
  const name: Line[] = lang ? [[{ text: cleanText(lang), style: { tone: 'muted' } }]] : [];
  return [...name, ...prefixLines(body, { text: '  ' })];
}

function listLines({ items, ordered, start, loose }: Tokens.List, width: number): Line[] {
  const first = Number(start === '' ? 1 : start);
  const markWidth = ordered ? String(first + items.length - 1).length + 2 : 2;
  return items.flatMap(({ tokens }, at) => {
    const mark: Span = {
      text: ordered ? `${first + at}. `.padStart(markWidth) : '• ',
      style: { tone: 'accent' },
    };
    const body = renderBlocks(tokens, width - markWidth, ({ type }) => loose && type !== 'list');
    const lines = prefixLines(body.length === 0 ? [[]] : body, mark, { text: ' '.repeat(markWidth) });
    return loose && at > 0 ? [[], ...lines] : lines;
  });
}
