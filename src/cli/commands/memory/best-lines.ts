import type { Chunk } from '../../../contract/memory.ts';
import { escapeText } from '../../output/escape-text.ts';
import { fitText, textWidth } from '../../output/text-width.ts';
import { findWords, type Hit } from './query-words.ts';

export interface BestLine {
  /** As the file counts it. */
  number: number;
  text: string;
}

/** The few lines of a chunk that hold most words of the query, in their order; others fill up what is left. */
export function bestLines(chunk: Chunk, words: readonly string[], most = 3): BestLine[] {
  const isPiece = chunk.startLine === chunk.endLine;
  const lines = chunk.text
    .split('\n')
    .map((text, at) => ({
      number: isPiece ? chunk.startLine : chunk.startLine + at,
      text: text.trimEnd(),
      score: new Set(findWords(text, words).map(({ word }) => word)).size,
    }))
    .filter(({ text }) => text !== '');
  const ranked = lines.toSorted((a, b) => b.score - a.score || a.number - b.number);
  const best = ranked[0]?.number ?? 0;
  // The lines after the best one explain it better than the first lines of the text.
  const isBefore = (line: { number: number; score: number }) => line.score === 0 && line.number < best;
  return ranked
    .toSorted((a, b) => b.score - a.score || Number(isBefore(a)) - Number(isBefore(b)) || a.number - b.number)
    .slice(0, most)
    .toSorted((a, b) => a.number - b.number)
    .map(({ number, text }) => ({ number, text }));
}

/** A line that fits, around the first word of the query in it, with the words marked. */
export function markLine(
  text: string,
  words: readonly string[],
  { width, mark }: { width: number; mark: (word: string) => string },
): string {
  const safe = escapeText(text.replaceAll('\t', '  '));
  const shown = fitAround(safe, findWords(safe, words)[0], width);
  let marked = '';
  let from = 0;
  for (const { start, end } of findWords(shown, words)) {
    marked += shown.slice(from, start) + mark(shown.slice(start, end));
    from = end;
  }
  return marked + shown.slice(from);
}

function fitAround(text: string, first: Hit | undefined, width: number): string {
  const isInSight = !first || textWidth(text.slice(0, first.end)) < width;
  if (isInSight) return fitText(text, width);
  const start = Math.max(0, first.start - Math.floor(width / 3));
  // A cut through a pair would leave half a character.
  const whole = text.slice(start).replace(/^[\uDC00-\uDFFF\p{M}]+/u, '');
  return fitText(`…${whole}`, width);
}
