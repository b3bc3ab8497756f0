import { type Key, usePaste } from 'ink';
import { useState } from 'react';
import { editorWidth } from '../editor/render-editor.ts';
import { type EditorState, emptyEditor, textOf } from '../editor/editor-state.ts';
import { keyAction } from '../editor/key-action.ts';
import { type EditorAction, reduceEditor } from '../editor/reduce-editor.ts';
import { useLatestState } from '../parts/use-latest-state.ts';
import { completionsOf, type SlashCommand } from './slash-commands.ts';

interface Options {
  width: number;
  /** Earlier messages, the last one at the end. */
  history: readonly string[];
  /** False while something else takes the keys. */
  isActive: boolean;
  /** Takes what was written; false leaves it where it is. */
  onSubmit: (text: string) => boolean;
}

export interface MessageInput {
  editor: EditorState;
  completions: readonly SlashCommand[];
  chosen: number;
  /** Does what a key means here. */
  press: (input: string, key: Key) => void;
  /** Drops what was written; false where there was nothing. */
  clear: () => boolean;
}

/** The message that is being written, and the command that it may become. */
export function useMessage({ width, history, isActive, onSubmit }: Options): MessageInput {
  const [editor, change, latest] = useLatestState(emptyEditor);
  const act = (action: EditorAction) => change((present) => reduceEditor(present, action));
  const [at, setAt] = useState(0);
  const completionsNow = () => completionsOf(textOf(latest().atoms));
  const placeIn = ({ length }: readonly SlashCommand[]) => Math.min(at, Math.max(0, length - 1));
  usePaste((pasted) => act({ type: 'paste', text: pasted }), { isActive });

  const submit = (message: string) => {
    if (onSubmit(message)) act({ type: 'clear' });
  };
  const press = (input: string, key: Key) => {
    const { atoms, cursor } = latest();
    const text = textOf(atoms);
    const completions = completionsNow();
    const chosen = placeIn(completions);
    const command = completions[chosen];
    if (command && (key.upArrow || key.downArrow))
      return setAt((chosen + (key.upArrow ? completions.length - 1 : 1)) % completions.length);
    if (command && key.tab) return act({ type: 'replace', text: `/${command.name} ` });
    if (key.upArrow || key.downArrow)
      return act({ type: key.upArrow ? 'up' : 'down', width: editorWidth(width), history });
    if (key.return && !key.meta && !key.shift) {
      if (command) return submit(`/${command.name}`);
      // A backslash at the end of the line asks for another one.
      if (atoms[cursor - 1]?.text === '\\') {
        act({ type: 'backspace' });
        return act({ type: 'insert', text: '\n' });
      }
      return submit(text);
    }
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
  };
}
