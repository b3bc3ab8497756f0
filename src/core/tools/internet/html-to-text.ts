import { setImmediate } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { TextWriter } from './text-writer.ts';

export interface HtmlText {
  title: string;
  /** Approximately Markdown: headings, links, lists, code and quotes; without scripts, styles and navigation. */
  text: string;
}
type Attributes = Record<string, string>;

const setOf = (names: string) => new Set(names.split(' '));
/** Elements without text, or without text of the page itself. */
const skipped = setOf(
  'script style nav template svg math iframe object canvas audio video select textarea dialog datalist',
);
const paragraphs = setOf('p blockquote pre ul ol dl table figure details h1 h2 h3 h4 h5 h6 hr');
const lines = setOf(
  'div section article main header footer aside form fieldset address tr dt dd figcaption summary caption center li br',
);
/** Deeper nesting is an attack; browsers stop at the same depth. */
const MAX_DEPTH = 512;
const MAX_TEXT = 1_000_000;
const MAX_URL = 2000;
const PIECE = 16_384;

/**
 * Converts a page to text. Takes time proportional to the size of any page, yields to the event loop in between, and
 * leaves out what exceeds the limits.
 */
export async function htmlToText(html: string, url: string, signal?: AbortSignal): Promise<HtmlText> {
  const reader = new HtmlReader(url);
  const parser = new Parser({
    onopentag: (name, attributes) => reader.open(name, attributes),
    ontext: (text) => reader.text(text),
    onclosetag: (name) => reader.close(name),
  });
  for (let at = 0; at < html.length && !reader.isFull; at += PIECE) {
    if (at > 0) await setImmediate(undefined, { signal });
    parser.write(html.slice(at, at + PIECE));
  }
  parser.end();
  return reader.finish();
}

class HtmlReader {
  readonly #out = new TextWriter();
  #base: string;
  #title = '';
  #isFull = false;
  #depth = 0;
  /** The depths of the outermost skipped element and of the title element. */
  #skippedAt: number | undefined;
  #titleAt: number | undefined;
  #code: { depth: number; isBlock: boolean; text: string } | undefined;
  /** Links do not nest. The address of a link around whole paragraphs is written after them. */
  #link: { href: string; depth: number; label: string; isBlock: boolean } | undefined;
  readonly #lists: { isOrdered: boolean; count: number }[] = [];

  constructor(url: string) {
    this.#base = url;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  finish(): HtmlText {
    const title = this.#title.replaceAll(/\s+/g, ' ').trim();
    return { title, text: this.#out.finish() };
  }

  text(text: string): void {
    if (this.#skippedAt !== undefined || this.#isFull) return;
    if (this.#titleAt !== undefined) this.#title += text;
    else if (this.#code) this.#code.text += text;
    else this.#inline(text);
  }

  open(name: string, attributes: Attributes): void {
    this.#depth++;
    if (this.#depth > MAX_DEPTH || this.#out.length > MAX_TEXT) this.#isFull = true;
    if (this.#skippedAt !== undefined || this.#isFull) return;
    if (skipped.has(name) || isHidden(name, attributes)) this.#skippedAt = this.#depth;
    else if (this.#code) this.#code.text += name === 'br' ? '\n' : '';
    else this.#start(name, attributes);
  }

  close(name: string): void {
    const depth = this.#depth--;
    if (this.#skippedAt === depth) this.#skippedAt = undefined;
    else if (this.#titleAt === depth) this.#titleAt = undefined;
    else if (this.#code?.depth === depth) this.#endCode();
    else if (this.#link?.depth === depth) this.#endLink();
    else if (this.#skippedAt === undefined && !this.#code && !this.#isFull) this.#end(name);
  }

  #start(name: string, { href = '', alt = '' }: Attributes): void {
    this.#separate(name);
    const out = this.#out;
    if (/^h[1-6]$/.test(name)) out.mark(`${'#'.repeat(Number(name[1]))} `);
    else if (name === 'title' && this.#title === '') this.#titleAt = this.#depth;
    else if (name === 'base' && href.length < MAX_URL) this.#base = this.#resolve(href) ?? this.#base;
    else if (name === 'a') this.#startLink(href);
    else if (name === 'pre' || name === 'code')
      this.#code = { depth: this.#depth, isBlock: name === 'pre', text: '' };
    else if (name === 'img' && alt.trim() !== '') this.#inline(`[image: ${alt.trim()}]`);
    else if (name === 'hr') out.write('---');
    else if (name === 'blockquote') out.quotes++;
    else if (name === 'ul' || name === 'ol') this.#lists.push({ isOrdered: name === 'ol', count: 0 });
    else if (name === 'li') this.#startItem();
    else if ((name === 'td' || name === 'th') && !out.isAtLineStart) this.#inline(' | ');
  }

  #end(name: string): void {
    if (/^h[1-6]$/.test(name) || name === 'li') this.#out.unmark();
    if (name === 'blockquote') this.#out.quotes--;
    if (name === 'ul' || name === 'ol') {
      this.#lists.pop();
      this.#out.indent = this.#lists.length;
    }
    this.#separate(name);
  }

  /** Starts a new line or paragraph at elements that are not inline. */
  #separate(name: string): void {
    const isParagraph = paragraphs.has(name);
    if (!isParagraph && !lines.has(name)) return;
    const link = this.#link;
    if (link && !link.isBlock) {
      if (isParagraph) {
        link.isBlock = true;
        this.#out.write(link.label);
      } else link.label += ' ';
    }
    const isInList = this.#lists.length > 0 && (name === 'ul' || name === 'ol');
    this.#out.break(isParagraph && !isInList ? 2 : 1);
  }

  #startItem(): void {
    const list = this.#lists.at(-1);
    if (list) list.count++;
    this.#out.indent = Math.max(this.#lists.length - 1, 0);
    this.#out.mark(list?.isOrdered ? `${list.count}. ` : '- ');
    this.#out.indent = Math.max(this.#lists.length, 1);
  }

  #startLink(href: string): void {
    if (this.#link) this.#endLink();
    if (href !== '' && !href.startsWith('#') && href.length < MAX_URL)
      this.#link = { href, depth: this.#depth, label: '', isBlock: false };
  }

  #endLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (!link || this.#isFull) return;
    const href = this.#resolve(link.href)?.replaceAll('(', '%28').replaceAll(')', '%29');
    const label = link.label.replaceAll(/\s+/g, ' ').trim();
    if (link.isBlock) this.#out.write(href === undefined ? '' : ` <${href}> `);
    else if (label === '' || href === undefined) this.#out.write(link.label);
    else {
      const [before, after] = [/^\s/, /\s$/].map((blank) => (blank.test(link.label) ? ' ' : ''));
      this.#out.write(`${before}[${label}](${href})${after}`);
    }
  }

  #endCode(): void {
    const code = this.#code;
    this.#code = undefined;
    if (!code || this.#isFull) return;
    const text = code.isBlock ? code.text.replace(/^\r?\n/, '').trimEnd() : code.text.trim();
    const backticks = text.match(/`+/g) ?? [];
    const longest = backticks.reduce((most, { length }) => Math.max(most, length), 0);
    if (text === '') return;
    if (!code.isBlock) {
      const quote = '`'.repeat(longest === 0 ? 1 : longest + 1);
      return this.#inline(longest === 0 ? `${quote}${text}${quote}` : `${quote} ${text} ${quote}`);
    }
    const fence = '`'.repeat(Math.max(3, longest + 1));
    this.#out.verbatim(`${fence}\n${text}\n${fence}`);
    this.#separate('pre');
  }

  #inline(text: string): void {
    if (this.#link && !this.#link.isBlock) this.#link.label += text;
    else this.#out.write(text);
  }

  /** The absolute address of a link; undefined if it is not a web address or too long. */
  #resolve(href: string): string | undefined {
    const url = URL.parse(href, this.#base);
    return url && /^https?:$/.test(url.protocol) && url.href.length < MAX_URL ? url.href : undefined;
  }
}

/** Whether an element is hidden. A hidden `html` or `body` is still read, because a script usually reveals it. */
const isHidden = (name: string, { hidden, style = '' }: Attributes) =>
  name !== 'html' &&
  name !== 'body' &&
  (hidden !== undefined || /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style));
