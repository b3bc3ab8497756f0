import { matchPaths, pathAt, writtenPath } from './complete-path.ts';
import type { Choice } from './picker.tsx';
import { completionsOf } from './slash-commands.ts';

export interface Completion extends Choice {
  /** A command runs with Enter; everything else is put into the message. */
  isCommand: boolean;
}

export interface Completions {
  /** What a choice replaces: the end of what stands before the cursor. */
  written: string;
  choices: readonly Completion[];
}

/** What the message may be completed to at the cursor: a command, or a path after an `@`. */
export function findCompletions(before: string, after: string, paths: readonly string[]): Completions {
  if (after === '') {
    const commands = completionsOf(before);
    if (commands.length > 0)
      return {
        written: before,
        choices: commands.map(({ name, summary }) => ({
          value: `/${name} `,
          label: `/${name}`,
          text: summary,
          isCommand: true,
        })),
      };
  }
  const mention = pathAt(before, before.length);
  if (!mention || /^\S/.test(after)) return { written: '', choices: [] };
  return {
    written: mention.path,
    choices: matchPaths(paths, mention.path).map((path) => ({
      // A directory is completed further.
      value: path.endsWith('/') ? writtenPath(path) : `${writtenPath(path)} `,
      label: path,
      text: '',
      isCommand: false,
    })),
  };
}
