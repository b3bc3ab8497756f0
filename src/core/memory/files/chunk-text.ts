import { extname } from 'node:path';
import { markdownSections } from './chunk-markdown.ts';
import { codeRanks } from './chunk-code.ts';
import { packLines, type TextPiece } from './pack-lines.ts';

const MARKDOWN = new Set(['.md', '.mdx', '.markdown']);
/** Files that are split by paragraph rather than by definition. */
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

/** A file with more and shorter sections than this is not really structured by its headings. */
const MAX_SECTIONS = 100;
const MIN_SECTION_CHARS = 40;

export interface TextChunk extends TextPiece {
  heading: string;
}

/** Splits a text into chunks of whole lines at headings, definitions or paragraphs. */
export function chunkText(path: string, text: string): TextChunk[] {
  const lines = text.split('\n');
  const extension = extname(path).toLowerCase();
  if (MARKDOWN.has(extension)) {
    const sections = markdownSections(lines);
    if (sections.length <= MAX_SECTIONS + text.length / MIN_SECTION_CHARS)
      return sections.flatMap(({ heading, start, end }) =>
        packLines(lines, start, end).map((piece) => ({ ...piece, heading })),
      );
  }
  const rankOf = PROSE.has(extension) ? undefined : codeRanks(lines);
  return packLines(lines, 0, lines.length, rankOf).map((piece) => ({ ...piece, heading: '' }));
}
