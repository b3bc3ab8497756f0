import { escapeText } from '../../output/escape-text.ts';
import { fitText, textWidth } from '../../output/text-width.ts';
import { findWords, type Hit } from '../../../contract/find-words.ts';

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
