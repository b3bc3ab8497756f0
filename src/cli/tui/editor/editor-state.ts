/** What the cursor steps over at once: a letter as a person sees it, or something that was pasted. */
export interface Atom {
  text: string;
  /** What stands for a long paste. */
  label?: string;
}

/** A text that is being written. */
export interface EditorState {
  atoms: readonly Atom[];
  /** Before which atom the cursor is. */
  cursor: number;
  /** What was cut last. */
  cut: readonly Atom[];
  /** The earlier message that is shown, counted from the last one; undefined for the one that is being written. */
  recalled?: number;
  /** What was being written before an earlier message was shown. */
  draft?: readonly Atom[];
}

export const emptyEditor: EditorState = { atoms: [], cursor: 0, cut: [] };

const LONG_ROWS = 5;
const LONG_LETTERS = 800;
const segmenter = new Intl.Segmenter();

export const textOf = (atoms: readonly Atom[]): string => atoms.map(({ text }) => text).join('');

export const atomsOf = (text: string): Atom[] =>
  Array.from(segmenter.segment(text), ({ segment }) => ({ text: segment }));

/** What was pasted: as it is when it is short, else as one atom that says how much there is. */
export function pastedAtoms(pasted: string): Atom[] {
  const text = pasted.replaceAll(/\r\n?/g, '\n');
  const rows = text.trimEnd().split('\n').length;
  if (rows > LONG_ROWS) return [{ text, label: `[pasted ${rows} lines]` }];
  if (text.length > LONG_LETTERS) return [{ text, label: `[pasted ${text.length} characters]` }];
  return atomsOf(text);
}
