import { useApp, useStdout } from 'ink';
import { useCallback } from 'react';
import { editDraft, editorOf } from '../../input/edit-draft.ts';
import { copySequence } from './copy-text.ts';
import { stopProcess } from './stop-process.ts';

/** What a chat does with the terminal besides drawing: hand it to the shell or an editor, and copy. */
export function useTerminal(env: Record<string, string | undefined>) {
  const { suspendTerminal } = useApp();
  const { stdout } = useStdout();
  const suspend = useCallback(async () => {
    await suspendTerminal(stopProcess);
  }, [suspendTerminal]);
  /** Resolves with the draft as the editor saved it; undefined where it was left as it is. */
  const edit = useCallback(
    async (draft: string, name?: string): Promise<string | undefined> => {
      let edited: string | undefined;
      await suspendTerminal(async () => {
        edited = await editDraft(draft, editorOf(env), name);
      });
      return edited;
    },
    [suspendTerminal, env],
  );
  const copy = useCallback(
    (text: string): boolean => {
      const sequence = copySequence(text, env);
      if (sequence !== undefined) stdout.write(sequence);
      return sequence !== undefined;
    },
    [stdout, env],
  );
  return { suspend, edit, copy };
}
