import type { Line, Span } from '../parts/line.ts';
import { placeOf, rowsOf, shownAtom } from './editor-rows.ts';
import type { Atom, EditorState } from './editor-state.ts';

export interface EditorLayout {
  lines: Line[];
  /** Where the cursor is among these lines. */
  cursor: { x: number; y: number };
}

const MARK = '› ';

/** The text that is being written as rows, those around the cursor where there are more than fit. */
export function renderEditor(
  state: EditorState,
  { width, height, hint }: { width: number; height: number; hint: string },
): EditorLayout {
  const mark: Span = { text: MARK, style: { tone: 'person' } };
  if (state.atoms.length === 0)
    return { lines: [[mark, { text: hint, style: { tone: 'muted' } }]], cursor: { x: MARK.length, y: 0 } };
  const rows = rowsOf(state.atoms, editorWidth(width));
  const { x, y } = placeOf(state, rows);
  const top = Math.max(0, Math.min(y - height + 1, rows.length - height));
  const lines = rows
    .slice(top, top + height)
    .map(({ start, end }, at): Line => [
      top + at === 0 ? mark : { text: ' '.repeat(MARK.length) },
      ...spansOf(state.atoms.slice(start, end)),
    ]);
  return { lines, cursor: { x: MARK.length + x, y: y - top } };
}

/** How many columns the text itself has. */
export const editorWidth = (width: number): number => width - MARK.length;

function spansOf(atoms: readonly Atom[]): Span[] {
  const spans: Span[] = [];
  for (const atom of atoms) {
    const text = shownAtom(atom);
    const last = spans.at(-1);
    if (atom.label !== undefined) spans.push({ text, style: { tone: 'accent' } });
    else if (last && !last.style) spans[spans.length - 1] = { text: last.text + text };
    else spans.push({ text });
  }
  return spans;
}
