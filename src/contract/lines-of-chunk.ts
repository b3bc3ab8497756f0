import { findWords } from './find-words.ts';
import type { Chunk } from './memory.ts';

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
