import { type Key, usePaste } from 'ink';
import { useState } from 'react';
import { editorWidth } from '../editor/render-editor.ts';
import { type EditorState, emptyEditor, textOf } from '../editor/editor-state.ts';
import { keyAction } from '../editor/key-action.ts';
import { type EditorAction, reduceEditor } from '../editor/reduce-editor.ts';
import { useLatestState } from '../parts/use-latest-state.ts';
import { type Completion, type Completions, findCompletions } from './find-completions.ts';

interface Options {
  width: number;
  /** Earlier messages, the last one at the end. */
  history: () => readonly string[];
  /** The paths that can be mentioned. */
  paths: readonly string[];
  /** False while something else takes the keys. */
  isActive: boolean;
  /** Takes what was written; false leaves it where it is. */
  onSubmit: (text: string) => boolean;
  /** A queued message to edit again; undefined where there is none. */
  takeBack: () => string | undefined;
  /** Backspace where nothing is written. */
  onEmptyBackspace: () => void;
}

export interface MessageInput {
  editor: EditorState;
  completions: Completions;
  chosen: number;
  /** Does what a key means here. */
  press: (input: string, key: Key) => void;
  /** Drops what was written; false where there was nothing. */
  clear: () => boolean;
  /** Hides the completions; false where there are none. */
  closeCompletions: () => boolean;
  text: () => string;
  replace: (text: string) => void;
}

/** The message that is being written, and what it may be completed to. */
export function useMessage(options: Options): MessageInput {
  const { width, history, paths, isActive, onSubmit, takeBack, onEmptyBackspace } = options;
  const [editor, change, latest] = useLatestState(emptyEditor);
  const act = (action: EditorAction) => change((present) => reduceEditor(present, action));
  const [at, setAt] = useState(0);
  const [closedFor, setClosedFor] = useState<string>();
  const completionsNow = (): Completions => {
    const { atoms, cursor } = latest();
    if (textOf(atoms) === closedFor) return { written: '', choices: [] };
    return findCompletions(textOf(atoms.slice(0, cursor)), textOf(atoms.slice(cursor)), paths);
  };
  const placeIn = ({ choices }: Completions) => Math.min(at, Math.max(0, choices.length - 1));
  usePaste((pasted) => act({ type: 'paste', text: pasted }), { isActive });

  const submit = (message: string) => {
    if (onSubmit(message)) act({ type: 'clear' });
  };
  const press = (input: string, key: Key) => {
    const { atoms, cursor } = latest();
    const text = textOf(atoms);
    const completions = completionsNow();
    const chosen = placeIn(completions);
    const choice = completions.choices[chosen];
    if (choice && (key.upArrow || key.downArrow)) {
      const { length } = completions.choices;
      return setAt((chosen + (key.upArrow ? length - 1 : 1)) % length);
    }
    const isSent = key.return && !key.meta && !key.shift;
    if (choice && (key.tab || (isSent && isMeant(choice, completions.written)))) {
      setAt(0);
      return act({ type: 'complete', written: completions.written, text: choice.value });
    }
    if (key.upArrow && text === '' && latest().recalled === undefined) {
      const queued = takeBack();
      if (queued !== undefined) return act({ type: 'replace', text: queued });
    }
    if (key.upArrow || key.downArrow)
      return act({ type: key.upArrow ? 'up' : 'down', width: editorWidth(width), history: history() });
    if (isSent) {
      if (choice?.isCommand) return submit(choice.value.trim());
      // A backslash at the end of the line asks for another one.
      if (atoms[cursor - 1]?.text === '\\') {
        act({ type: 'backspace' });
        return act({ type: 'insert', text: '\n' });
      }
      return submit(text);
    }
    if (text === '' && (key.backspace || key.delete)) return onEmptyBackspace();
    const action = keyAction(input, key);
    if (!action) return;
    setAt(0);
    act(action);
  };
  const clear = () => {
    const hasText = latest().atoms.length > 0;
    act({ type: 'clear' });
    return hasText;
  };
  const completions = completionsNow();
  return {
    editor,
    completions,
    chosen: placeIn(completions),
    press,
    clear,
    closeCompletions: () => {
      if (completionsNow().choices.length === 0) return false;
      setClosedFor(textOf(latest().atoms));
      return true;
    },
    text: () => textOf(latest().atoms),
    replace: (text) => act({ type: 'replace', text }),
  };
}

/** Enter completes a path that was written in part; a word that only resembles one is sent as it is. */
const isMeant = ({ isCommand, label = '', value }: Completion, written: string): boolean =>
  !isCommand &&
  written !== '' &&
  value.trim() !== written &&
  label.toLowerCase().includes(written.toLowerCase());
