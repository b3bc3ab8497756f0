import { type Atom, atomsOf, type EditorState, emptyEditor, pastedAtoms } from './editor-state.ts';
import { atomWidth, type EditorRow, placeOf, rowsOf } from './editor-rows.ts';

export type EditorAction =
  | { type: 'insert' | 'paste' | 'replace'; text: string }
  | { type: 'complete'; written: string; text: string }
  | { type: 'up' | 'down'; width: number; history: readonly string[] }
  | {
      type:
        | 'left'
        | 'right'
        | 'word-left'
        | 'word-right'
        | 'line-start'
        | 'line-end'
        | 'backspace'
        | 'delete'
        | 'cut-word'
        | 'cut-word-right'
        | 'cut-to-start'
        | 'cut-to-end'
        | 'put-back'
        | 'clear';
    };

/** The editor after a key. */
export function reduceEditor(state: EditorState, action: EditorAction): EditorState {
  const { atoms, cursor } = state;
  switch (action.type) {
    case 'insert':
      return insertText(state, action.text);
    case 'paste':
      return insert(state, pastedAtoms(action.text));
    case 'replace': {
      const replaced = atomsOf(action.text);
      return { atoms: replaced, cursor: replaced.length, cut: state.cut };
    }
    case 'complete':
      return complete(state, action);
    case 'up':
      return moveUp(state, action.width, action.history);
    case 'down':
      return moveDown(state, action.width, action.history);
    case 'left':
      return { ...state, cursor: Math.max(0, cursor - 1) };
    case 'right':
      return { ...state, cursor: Math.min(atoms.length, cursor + 1) };
    case 'word-left':
      return { ...state, cursor: wordStart(atoms, cursor) };
    case 'word-right':
      return { ...state, cursor: wordEnd(atoms, cursor) };
    case 'line-start':
      return { ...state, cursor: lineStart(atoms, cursor) };
    case 'line-end':
      return { ...state, cursor: lineEnd(atoms, cursor) };
    case 'backspace':
      return cursor === 0 ? state : { ...remove(state, cursor - 1, cursor), cut: state.cut };
    case 'delete':
      return { ...remove(state, cursor, cursor + 1), cut: state.cut };
    case 'cut-word':
      return remove(state, wordStart(atoms, cursor), cursor);
    case 'cut-word-right':
      return remove(state, cursor, wordEnd(atoms, cursor));
    case 'cut-to-start':
      return remove(state, lineStart(atoms, cursor), cursor);
    case 'cut-to-end': {
      const end = lineEnd(atoms, cursor);
      // At its end a line is joined with the next one.
      return remove(state, cursor, end === cursor ? end + 1 : end);
    }
    case 'put-back':
      return insert(state, state.cut);
    case 'clear':
      return { ...emptyEditor, cut: state.cut };
  }
}

/** What was typed may belong to the letter before it, such as an accent. */
function insertText(state: EditorState, text: string): EditorState {
  const before = state.atoms[state.cursor - 1];
  if (!before || before.label !== undefined || before.text === '\n') return insert(state, atomsOf(text));
  const [joined, ...others] = atomsOf(before.text + text);
  if (!joined || joined.text === before.text) return insert(state, atomsOf(text));
  const shortened = { ...state, atoms: state.atoms.toSpliced(state.cursor - 1, 1), cursor: state.cursor - 1 };
  return insert(shortened, [joined, ...others]);
}

function insert(state: EditorState, atoms: readonly Atom[]): EditorState {
  return {
    ...edited(state),
    atoms: state.atoms.toSpliced(state.cursor, 0, ...atoms),
    cursor: state.cursor + atoms.length,
  };
}

function remove(state: EditorState, from: number, to: number): EditorState {
  const cut = state.atoms.slice(from, to);
  if (cut.length === 0) return state;
  return { ...edited(state), atoms: state.atoms.toSpliced(from, to - from), cursor: from, cut };
}

/** Replaces what was written before the cursor, which the atoms before it end with. */
function complete(state: EditorState, { written, text }: { written: string; text: string }): EditorState {
  const { atoms, cursor } = state;
  let start = cursor;
  for (let left = written.length; left > 0 && start > 0; start--) left -= atoms[start - 1]?.text.length ?? 0;
  const added = atomsOf(text);
  return {
    ...edited(state),
    atoms: atoms.toSpliced(start, cursor - start, ...added),
    cursor: start + added.length,
  };
}

/** An earlier message that is changed becomes the one that is being written. */
const edited = ({ atoms, cursor, cut }: EditorState): EditorState => ({ atoms, cursor, cut });

function moveUp(state: EditorState, width: number, history: readonly string[]): EditorState {
  const rows = rowsOf(state.atoms, width);
  const { y, x } = placeOf(state, rows);
  const above = rows[y - 1];
  if (above) return { ...state, cursor: cursorAt(state.atoms, above, x) };
  return recall(state, history, (state.recalled ?? 0) + 1);
}

function moveDown(state: EditorState, width: number, history: readonly string[]): EditorState {
  const rows = rowsOf(state.atoms, width);
  const { y, x } = placeOf(state, rows);
  const below = rows[y + 1];
  if (below) return { ...state, cursor: cursorAt(state.atoms, below, x) };
  if (state.recalled === undefined) return { ...state, cursor: state.atoms.length };
  return recall(state, history, state.recalled - 1);
}

function recall(state: EditorState, history: readonly string[], recalled: number): EditorState {
  const draft = state.recalled === undefined ? state.atoms : (state.draft ?? []);
  if (recalled === 0) return { atoms: draft, cursor: draft.length, cut: state.cut };
  const text = history.at(-recalled);
  if (text === undefined) return { ...state, cursor: 0 };
  const atoms = atomsOf(text);
  return { atoms, cursor: atoms.length, cut: state.cut, recalled, draft };
}

function cursorAt(atoms: readonly Atom[], { start, end, isBroken }: EditorRow, x: number): number {
  let columns = 0;
  for (let at = start; at < end; at++) {
    const width = atomWidth(atoms[at]);
    if (columns + width > x) return at;
    columns += width;
  }
  return isBroken ? Math.max(start, end - 1) : end;
}

const isBlank = (atom: Atom | undefined) => atom === undefined || /^\s$/.test(atom.text);

function wordStart(atoms: readonly Atom[], cursor: number): number {
  let at = cursor;
  while (at > 0 && isBlank(atoms[at - 1])) at--;
  while (at > 0 && !isBlank(atoms[at - 1])) at--;
  return at;
}

function wordEnd(atoms: readonly Atom[], cursor: number): number {
  let at = cursor;
  while (at < atoms.length && isBlank(atoms[at])) at++;
  while (at < atoms.length && !isBlank(atoms[at])) at++;
  return at;
}

const lineStart = (atoms: readonly Atom[], cursor: number) =>
  atoms.findLastIndex(({ text }, at) => at < cursor && text === '\n') + 1;

function lineEnd(atoms: readonly Atom[], cursor: number): number {
  const at = atoms.findIndex(({ text }, index) => index >= cursor && text === '\n');
  return at < 0 ? atoms.length : at;
}
