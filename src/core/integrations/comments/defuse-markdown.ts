import type { MarkedToken, Token, Tokens } from 'marked';
import { asLines, escapedText, GAP } from './defuse-text.ts';

/** What GitHub draws instead of showing. */
const drawn = new Set(['mermaid', 'geojson', 'topojson', 'stl', 'math', 'suggestion']);
/** A page of an issue, a change or a person tells there, or to them, that somebody wrote of it. */
const toldPath =
  /\/(?:issues?|pulls?|commits?|compare|discussions|merge_requests|browse|profiles?|users?)(?:\/|$)/i;
const MAX_LENGTH = 50_000;

/**
 * Markdown of a stranger as Markdown that looks much like it and reaches nobody: no mention, no reference that tells the
 * other side, no HTML, no image that is fetched, no link that shows another address than its own. It is written anew from
 * what was read, so that nothing depends on who reads Markdown how.
 */
export async function defuseMarkdown(text: string): Promise<string> {
  // Loaded at the first comment: most daemons never write one.
  const { marked } = await import('marked');
  try {
    const defused = blocks(marked.lexer(text, { gfm: true }));
    if (defused.length <= MAX_LENGTH) return defused;
  } catch (error) {
    // Lists in lists in lists, thousands deep.
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
      return asLines(inline(token.tokens));
    case 'text':
      return asLines(inline(token.tokens ?? [token]));
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
      return asLines(inline([token]));
  }
}

function list({ items, ordered, start, loose }: Tokens.List): string {
  const first = Math.min(Number(start === '' ? 1 : start), 900_000_000);
  return items
    .flatMap(({ tokens }, at) => {
      const mark = ordered ? `${first + at}. ` : '- ';
      const words = blocks(joined(tokens), loose ? '\n\n' : '\n');
      // A mark by itself could make a heading of the line before.
      return words === '' ? [] : prefixed(words, mark, ' '.repeat(mark.length));
    })
    .join(loose ? '\n\n' : '\n');
}

/** The box of an item stands beside its words, not above them. */
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
  // What stands side by side is read together there, so it is defused together.
  let words = '';
  const flush = () => {
    if (words !== '') parts.push(escapedText(words));
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

/** Words are still to be defused, Markdown is not. */
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
      return { markdown: link(escapedText(alt ? `Image: ${alt}` : 'Image'), token, isCell) };
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

/** Two runs of a sign would be read as a longer one, which is closed elsewhere: code would end too soon, or not at all. */
const sideBySide = (parts: string[]): string =>
  parts
    .filter((part) => part !== '')
    .reduce((all, part) => {
      const isRun = /[`~]$/.test(all) && all.at(-1) === part[0];
      return `${all}${isRun ? GAP : ''}${part}`;
    }, '');

/** The words, and the address for everybody to see. */
function link(words: string, { href, text }: Tokens.Link | Tokens.Image, isCell: boolean): string {
  const url = URL.canParse(href) ? new URL(href) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return words;
  const address = url.href.replaceAll(/[`<>|\\\s]/g, encodeURIComponent);
  const shown = isTold(url) ? code(address, isCell) : `<${address}>`;
  return text === href || words === '' ? shown : `${words} (${shown})`;
}

/** As code, an address is read by nobody but people. */
function isTold({ hostname, href }: URL): boolean {
  const letters = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  const isLinear = /(?:^|\.)linear\.app$/.test(hostname);
  return isLinear || toldPath.test(href.replaceAll(/%([\da-f]{2})/gi, letters));
}

function code(text: string, isCell: boolean): string {
  const flat = text.replaceAll(/\s*\n\s*/g, ' ');
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
/** The entities that models write; any other is shown as it is. */
const decoded = (text: string): string =>
  text.replaceAll(/&(lt|gt|amp|quot|apos|nbsp);/g, (_, name: string) => entities[name] ?? '');
