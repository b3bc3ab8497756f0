import type { MarkedToken, Token, Tokens } from 'marked';
import { escapeLineStarts, escapeMarkdown, GAP } from './sanitize-text.ts';

/** Code block languages that GitHub renders instead of showing. */
const drawn = new Set(['mermaid', 'geojson', 'topojson', 'stl', 'math', 'suggestion']);
/** Links to these pages create a backlink there or notify a person. */
const backlinkPath =
  /\/(?:issues?|pulls?|commits?|compare|discussions|merge_requests|browse|profiles?|users?)(?:\/|$)/i;
const MAX_LENGTH = 50_000;

/**
 * Rewrites untrusted Markdown so that it looks much the same but has no side effects: no mentions, no references that
 * create backlinks, no HTML, no fetched images, no links that hide their address. It is rendered from the parsed tokens,
 * so that differences between Markdown parsers do not matter.
 */
export async function sanitizeMarkdown(text: string): Promise<string> {
  // Loaded on first use: most daemons never write a comment.
  const { marked } = await import('marked');
  try {
    const sanitized = blocks(marked.lexer(text, { gfm: true }));
    if (sanitized.length <= MAX_LENGTH) return sanitized;
  } catch (error) {
    // Thousands of nested lists overflow the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  return fenced(text);
}

function blocks(tokens: readonly Token[], gap = '\n\n'): string {
  return tokens
    .map((token) => block(token as MarkedToken))
    .filter((part) => part !== '')
    .join(gap);
}

function block(token: MarkedToken): string {
  switch (token.type) {
    case 'heading': {
      const words = inline(token.tokens).replaceAll('\n', ' ');
      return words && `**${words}**`;
    }
    case 'paragraph':
      return escapeLineStarts(inline(token.tokens));
    case 'text':
      return escapeLineStarts(inline(token.tokens ?? [token]));
    case 'code':
      return fenced(token.text, token.lang);
    case 'blockquote':
      return prefixed(blocks(token.tokens), '> ', '> ');
    case 'list':
      return list(token);
    case 'table':
      return table(token);
    case 'hr':
      return '* * *';
    case 'space':
    case 'def':
      return '';
    case 'list_item':
      return blocks(token.tokens);
    case 'html':
    case 'br':
    case 'checkbox':
    case 'codespan':
    case 'del':
    case 'em':
    case 'escape':
    case 'image':
    case 'link':
    case 'strong':
      return escapeLineStarts(inline([token]));
  }
}

function list({ items, ordered, start, loose }: Tokens.List): string {
  const first = Math.min(Number(start === '' ? 1 : start), 900_000_000);
  return items
    .flatMap(({ tokens }, at) => {
      const mark = ordered ? `${first + at}. ` : '- ';
      const words = blocks(joined(tokens), loose ? '\n\n' : '\n');
      // A bare list marker could turn the previous line into a heading.
      return words === '' ? [] : prefixed(words, mark, ' '.repeat(mark.length));
    })
    .join(loose ? '\n\n' : '\n');
}

/** Puts the checkbox of an item beside its text, not above it. */
function joined(tokens: readonly Token[]): readonly Token[] {
  const [box, words, ...others] = tokens;
  if (box?.type !== 'checkbox' || (words?.type !== 'text' && words?.type !== 'paragraph')) return tokens;
  return [{ ...words, tokens: [box, ...(words.tokens ?? [])] }, ...others];
}

function table({ header, rows, align }: Tokens.Table): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const cell = ({ tokens }: Tokens.TableCell) => inline(tokens, true).replaceAll('\n', ' ');
  const rule = align.map((side) => (side === 'right' ? '--:' : side === 'center' ? ':-:' : '---'));
  return [row(header.map(cell)), row(rule), ...rows.map((cells) => row(cells.map(cell)))].join('\n');
}

function inline(tokens: readonly Token[], isCell = false): string {
  const parts: string[] = [];
  // Adjacent text is parsed together, so it is escaped together.
  let words = '';
  const flush = () => {
    if (words !== '') parts.push(escapeMarkdown(words));
    words = '';
  };
  for (const token of tokens) {
    const part = span(token as MarkedToken, isCell);
    if ('words' in part) words += part.words;
    else {
      flush();
      parts.push(part.markdown);
    }
  }
  flush();
  return sideBySide(parts);
}

/** `words` still have to be escaped, `markdown` does not. */
function span(token: MarkedToken, isCell: boolean): { words: string } | { markdown: string } {
  switch (token.type) {
    case 'strong':
      return { markdown: around('**', inline(token.tokens, isCell)) };
    case 'em':
      return { markdown: around('*', inline(token.tokens, isCell)) };
    case 'del':
      return { markdown: around('~~', inline(token.tokens, isCell)) };
    case 'codespan':
      return { markdown: code(token.text, isCell) };
    case 'br':
      return { markdown: '\n' };
    case 'link':
      return { markdown: link(inline(token.tokens, isCell), token, isCell) };
    case 'image': {
      const alt = decoded(token.text);
      return { markdown: link(escapeMarkdown(alt ? `Image: ${alt}` : 'Image'), token, isCell) };
    }
    case 'text':
      if (token.tokens) return { markdown: inline(token.tokens, isCell) };
      return { words: decoded(token.text) };
    case 'escape':
      return { words: token.text };
    case 'checkbox':
      return { words: token.checked ? '☑ ' : '☐ ' };
    case 'html':
    case 'blockquote':
    case 'code':
    case 'def':
    case 'heading':
    case 'hr':
    case 'list':
    case 'list_item':
    case 'paragraph':
    case 'space':
    case 'table':
      return { words: token.raw };
  }
}

const around = (mark: string, words: string): string =>
  words.trim() === '' ? words : sideBySide([mark, words, mark]);

/** Separates adjacent backticks and tildes: joined, they would form a longer delimiter that closes elsewhere or never. */
const sideBySide = (parts: string[]): string =>
  parts
    .filter((part) => part !== '')
    .reduce((all, part) => {
      const isRun = /[`~]$/.test(all) && all.at(-1) === part[0];
      return `${all}${isRun ? GAP : ''}${part}`;
    }, '');

/** The link text, with its address visible. */
function link(words: string, { href, text }: Tokens.Link | Tokens.Image, isCell: boolean): string {
  const url = URL.canParse(href) ? new URL(href) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return words;
  const address = url.href.replaceAll(/[`<>|\\\s]/g, encodeURIComponent);
  const shown = isBacklinked(url) ? code(address, isCell) : `<${address}>`;
  return text === href || words === '' ? shown : `${words} (${shown})`;
}

/** Whether a link to the page has side effects; such an address is shown as code instead. */
function isBacklinked({ hostname, href }: URL): boolean {
  const letters = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  const isLinear = /(?:^|\.)linear\.app$/.test(hostname);
  return isLinear || backlinkPath.test(href.replaceAll(/%([\da-f]{2})/gi, letters));
}

function code(text: string, isCell: boolean): string {
  const flat = text.replaceAll(/(?<!\s)\s*\n\s*/g, ' ');
  if (flat.trim() === '') return '';
  const mark = '`'.repeat(longestRun(flat) + 1);
  const pad = /^[`\s]|[`\s]$/.test(flat) ? ' ' : '';
  return `${mark}${pad}${isCell ? flat.replaceAll('|', String.raw`\|`) : flat}${pad}${mark}`;
}

function fenced(text: string, language = ''): string {
  const mark = '`'.repeat(Math.max(3, longestRun(text) + 1));
  const name = /^[\w+#.-]{1,30}/.exec(language)?.[0] ?? '';
  return `${mark}${drawn.has(name.toLowerCase()) ? '' : name}\n${text}\n${mark}`;
}

const longestRun = (text: string): number =>
  Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));

const prefixed = (text: string, first: string, next: string): string =>
  text
    .split('\n')
    .map((line, at) => `${at === 0 ? first : next}${line}`.trimEnd())
    .join('\n');

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' };
/** Decodes the entities that models write; others are shown unchanged. */
const decoded = (text: string): string =>
  text.replaceAll(/&(lt|gt|amp|quot|apos|nbsp);/g, (_, name: string) => entities[name] ?? '');
