import { escapeLine } from '../../output/escape-text.ts';

/** How to reply to a conversation. */
export const continueHint = (id: string): string => `Continue: svc chat -c ${id}`;

/** How to let a turn that ended at a limit of the chat go on. */
export const continueTurnHint = (id: string): string => `Continue: svc chat -c ${id} "continue"`;

/** How to let the work of a conversation go on as a task, which has no such limit; `cwd` where it is not this directory. */
export function continueAsTaskHint({ id, cwd }: { id: string; cwd?: string | undefined }): string {
  const directory = cwd === undefined ? '' : ` --cwd ${quoted(escapeLine(cwd))}`;
  return `Continue as a task: svc chat export ${id} | svc run${directory} "Continue the work of this conversation"`;
}

/** A word as a shell reads it. */
const quoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
