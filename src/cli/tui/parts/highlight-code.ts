import { parse } from 'sugar-high/core';
import { lang, languages } from 'sugar-high/lang';
import { cleanText, type Span, type Style } from './line.ts';

/** The lines of code with their colours; undefined for a language that is not known. */
export type Highlight = (code: string, language: string) => Span[][] | undefined;

/** Longer code stays plain, because colours are not worth the time that they would take. */
const MOST_CHARACTERS = 50_000;

const styles: Record<string, Style> = {
  keyword: { tone: 'keyword' },
  string: { tone: 'string' },
  class: { tone: 'number' },
  property: { tone: 'name' },
  entity: { tone: 'name' },
  comment: { tone: 'muted' },
};
const diffStyles: Record<string, Style> = {
  '+': { tone: 'good' },
  '-': { tone: 'bad' },
  '@': { tone: 'name' },
};

/** Highlights code of the languages that people write most. Import it only when there is code to show. */
export const highlightCode: Highlight = (code, language) => {
  if (code.length > MOST_CHARACTERS) return undefined;
  const name = lang(language.toLowerCase());
  if (name === undefined || name === 'plaintext') return undefined;
  if (name === 'diff') return code.split('\n').map((line) => [spanOf(line, diffStyles[line[0] ?? ''])]);
  const { config = {} } = languages.find(({ id }) => id === name) ?? {};
  return parse(code, config).lines.map(({ tokens }) => joined(tokens));
};

/** Neighbours of the same style as one piece. */
function joined(tokens: readonly { type: string; value: string }[]): Span[] {
  const spans: Span[] = [];
  for (const { type, value } of tokens) {
    if (type === 'break') continue;
    const style = styles[type];
    const last = spans.at(-1);
    if (last && (last.style === style || value.trim() === ''))
      spans[spans.length - 1] = { ...last, text: last.text + cleanText(value) };
    else spans.push(spanOf(value, style));
  }
  return spans;
}

const spanOf = (text: string, style: Style | undefined): Span => ({
  text: cleanText(text),
  ...(style && { style }),
});
