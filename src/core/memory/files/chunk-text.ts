import { extname } from 'node:path';
import { markdownSections } from './chunk-markdown.ts';
import { codeRanks } from './chunk-code.ts';
import { packLines, type TextPiece } from './pack-lines.ts';

const MARKDOWN = new Set(['.md', '.mdx', '.markdown']);
/** What is not made of paragraphs although it has blank lines. */
const PROSE = new Set([
  ...MARKDOWN,
  '',
  '.txt',
  '.text',
  '.rst',
  '.adoc',
  '.org',
  '.tex',
  '.log',
  '.csv',
  '.tsv',
]);

/** With more sections than these, and so many characters for each of the others, the headings are no headings. */
const SECTIONS = 100;
const LEAST_SECTION = 40;

export interface TextChunk extends TextPiece {
  heading: string;
}

/** Cuts a text in pieces of whole lines where its parts begin: headings, functions and classes, paragraphs. */
export function chunkText(path: string, text: string): TextChunk[] {
  const lines = text.split('\n');
  const ending = extname(path).toLowerCase();
  if (MARKDOWN.has(ending)) {
    const sections = markdownSections(lines);
    if (sections.length <= SECTIONS + text.length / LEAST_SECTION)
      return sections.flatMap(({ heading, start, end }) =>
        packLines(lines, start, end).map((piece) => ({ ...piece, heading })),
      );
  }
  const rankOf = PROSE.has(ending) ? undefined : codeRanks(lines);
  return packLines(lines, 0, lines.length, rankOf).map((piece) => ({ ...piece, heading: '' }));
}
