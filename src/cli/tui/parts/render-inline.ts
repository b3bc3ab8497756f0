import type { MarkedToken, Token } from 'marked';
import { cleanText, type Span, type Style } from './line.ts';

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

/** The words of a paragraph with their styles; a newline is a break that was asked for. */
export function renderInline(tokens: readonly Token[] = [], style: Style = {}): Span[] {
  return tokens.flatMap((token) => spansOf(token as MarkedToken, style));
}

function spansOf(token: MarkedToken, style: Style): Span[] {
  switch (token.type) {
    case 'strong':
      return renderInline(token.tokens, { ...style, isBold: true });
    case 'em':
      return renderInline(token.tokens, { ...style, isItalic: true });
    case 'del':
      return renderInline(token.tokens, { ...style, isStruck: true });
    case 'codespan':
      return [say(token.text, { ...style, tone: 'code' })];
    case 'link':
      return linkSpans(
        renderInline(token.tokens, { ...style, tone: 'link', isUnderlined: true }),
        token,
        style,
      );
    case 'image':
      return [say(`[image: ${token.text || token.href}]`, { ...style, tone: 'muted' })];
    case 'br':
      return [{ text: '\n' }];
    case 'checkbox':
      return [say(token.checked ? '☑ ' : '☐ ', style)];
    case 'text':
      return token.tokens ? renderInline(token.tokens, style) : [say(decode(token.text), style)];
    case 'escape':
      return [say(decode(token.text), style)];
    case 'blockquote':
    case 'code':
    case 'def':
    case 'heading':
    case 'hr':
    case 'html':
    case 'list':
    case 'list_item':
    case 'paragraph':
    case 'space':
    case 'table':
      return [say(token.raw, style)];
  }
}

/** A link says where it leads, unless its words do. */
function linkSpans(words: Span[], { href, text }: { href: string; text: string }, style: Style): Span[] {
  if (href === text || href === `mailto:${text}` || href === '') return words;
  return [...words, say(` (${href})`, { ...style, tone: 'muted' })];
}

/** A newline in the source is a blank. */
const say = (text: string, style: Style): Span => ({ text: cleanText(text.replaceAll('\n', ' ')), style });

const decode = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);
