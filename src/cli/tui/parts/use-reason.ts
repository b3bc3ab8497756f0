import { type Key, usePaste } from 'ink';
import { useEffect, useState } from 'react';
import { emptyEditor, textOf } from '../editor/editor-state.ts';
import { keyAction, splitKeys } from '../editor/key-action.ts';
import { reduceEditor } from '../editor/reduce-editor.ts';
import { renderEditor } from '../editor/render-editor.ts';
import type { Line } from './line.ts';
import { useLatestState } from './use-latest-state.ts';
import type { Typing } from './use-typing.ts';

/** What the daemon takes. */
const LONGEST = 2000;

/** A line in which a person writes why they deny a call. */
export function useReason(typing: Typing, onSend: (reason: string | undefined) => void) {
  const [isOpen, setOpen] = useState(false);
  const [editor, change, latest] = useLatestState(emptyEditor);
  useEffect(() => () => typing.set(false), [typing]);
  usePaste((text) => change((state) => reduceEditor(state, { type: 'paste', text })), { isActive: isOpen });
  const setTyping = (isOn: boolean) => {
    setOpen(isOn);
    typing.set(isOn);
  };
  const send = () => {
    const reason = textOf(latest().atoms).trim().slice(0, LONGEST).trim();
    onSend(reason === '' ? undefined : reason);
  };
  return {
    isOpen,
    open: () => setTyping(true),
    press: (input: string, key: Key) => {
      for (const [letters, each] of splitKeys(input, key)) {
        if (each.escape) return setTyping(false);
        if (each.return) return send();
        const action = keyAction(letters, each);
        if (action) change((state) => reduceEditor(state, action));
      }
    },
    line: (width: number): Line => reasonLine(renderEditor(editor, { width, height: 1, hint: HINT })),
  };
}

const HINT = 'Why? (optional)  Enter denies, Esc goes back';

/** The row of the editor, with a cursor of its own: the one of the terminal belongs to the message. */
function reasonLine({ lines: [line = []], cursor }: ReturnType<typeof renderEditor>): Line {
  let column = 0;
  let isDrawn = false;
  const spans = line.flatMap(({ text, style }): Line => {
    const at = cursor.x - column;
    column += text.length;
    if (isDrawn || at < 0 || at >= text.length) return [{ text, style }];
    isDrawn = true;
    return [
      { text: text.slice(0, at), style },
      { text: text.slice(at, at + 1), style: { ...style, isInverse: true } },
      { text: text.slice(at + 1), style },
    ];
  });
  return isDrawn ? spans : [...spans, { text: ' ', style: { isInverse: true } }];
}
