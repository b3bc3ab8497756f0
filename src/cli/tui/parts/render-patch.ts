import { type PatchLine, patchLines } from '../../output/patch-lines.ts';
import { cleanText, type Line, type Style } from './line.ts';
import { breakSpan } from './wrap-spans.ts';

/** More lines are left out. */
const MOST_LINES = 500;

const styles: Record<PatchLine['kind'], Style> = {
  file: { isBold: true },
  header: { tone: 'muted' },
  hunk: { tone: 'accent' },
  added: { tone: 'good' },
  removed: { tone: 'bad' },
  context: {},
};

/** A patch in colours, without the lines that name each file once more. */
export function renderPatch(patch: string, width: number): Line[] {
  const lines = patchLines(patch).filter(
    ({ text, kind }) => !(kind === 'header' && /^(--- |\+\+\+ )/.test(text)),
  );
  const rows = lines
    .slice(0, MOST_LINES)
    .flatMap(({ text, kind }) => breakSpan({ text: cleanText(text), style: styles[kind] }, width));
  const more = lines.length - MOST_LINES;
  return more > 0 ? [...rows, [{ text: `… ${more} more lines`, style: { tone: 'muted' } }]] : rows;
}
