import { textWidth } from '../../output/text-width.ts';
import { cleanText } from '../parts/line.ts';
import type { Atom, EditorState } from './editor-state.ts';

/** The atoms of one row of the screen; the newline that ends it is not among them. */
export interface EditorRow {
  start: number;
  end: number;
  /** The row ends because it is full, so its end is the beginning of the next one. */
  isBroken: boolean;
}

export const shownAtom = (atom: Atom): string => atom.label ?? cleanText(atom.text);

export const atomWidth = (atom: Atom | undefined): number =>
  atom === undefined || atom.text === '\n' ? 0 : textWidth(shownAtom(atom));

/** The rows that atoms take; the last column is left to the cursor. */
export function rowsOf(atoms: readonly Atom[], width: number): EditorRow[] {
  const room = Math.max(1, width - 1);
  const rows: EditorRow[] = [];
  let start = 0;
  let used = 0;
  let afterBlank: number | undefined;
  for (const [at, atom] of atoms.entries()) {
    if (atom.text === '\n') {
      rows.push({ start, end: at, isBroken: false });
      start = at + 1;
      used = 0;
      afterBlank = undefined;
      continue;
    }
    if (used > 0 && used + atomWidth(atom) > room) {
      const end = afterBlank ?? at;
      rows.push({ start, end, isBroken: true });
      start = end;
      used = atoms.slice(start, at).reduce((sum, each) => sum + atomWidth(each), 0);
      afterBlank = undefined;
    }
    used += atomWidth(atom);
    if (atom.text === ' ') afterBlank = at + 1;
  }
  return [...rows, { start, end: atoms.length, isBroken: false }];
}

/** The row and the column of the cursor. */
export function placeOf(
  { atoms, cursor }: Pick<EditorState, 'atoms' | 'cursor'>,
  rows: readonly EditorRow[],
): { x: number; y: number } {
  const y = rows.findIndex(
    ({ start, end, isBroken }) => cursor >= start && (isBroken ? cursor < end : cursor <= end),
  );
  const { start } = rows[y] ?? { start: 0 };
  return { x: atoms.slice(start, cursor).reduce((sum, atom) => sum + atomWidth(atom), 0), y };
}
