import { anyNumber } from '../program/arguments.ts';
import { defineCommand } from '../program/define-command.ts';
import { text } from '../program/value-type.ts';

/** `svc __complete -- WORDS`: lists completions of the last word. */
export const complete = defineCommand({
  name: '__complete',
  summary: 'List completions; the completion scripts call it',
  isHidden: true,
  examples: [],
  args: { words: anyNumber(text, 'Words so far') },
  run: async ({ cli, args }) =>
    (await import('../completion/complete-words.ts')).completeWords(cli, args.words),
});
