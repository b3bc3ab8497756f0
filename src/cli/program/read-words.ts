import type { Command } from 'commander';

/** What the words of a command line mean even where they could not be parsed as a whole. */
interface ReadWords {
  /** The deepest command that the words name, such as `svc tokens create`; errors point to its help. */
  reached: string;
  /** Whether the caller reads JSON. */
  isJson: boolean;
}

/** Options whose output is JSON. */
const asJson = /^--(json|jsonl|fields(=.*)?)$/s;

/** Reads the words of a command line for the report of an error. */
export function readWords(program: Command, words: readonly string[]): ReadWords {
  const path = [program];
  let isJson = false;
  let isValue = false;
  let isDeepest = false;
  for (const word of words) {
    const command = path.at(-1) ?? program;
    if (isValue) isValue = false;
    else if (word === '--') break;
    else if (word.startsWith('-')) {
      isJson ||= asJson.test(word);
      isValue = path.some(({ options }) =>
        options.some((option) => option.required && [option.short, option.long].includes(word)),
      );
    } else if (!isDeepest) {
      const next = command.commands.find((each) => each.name() === word);
      if (next) path.push(next);
      else isDeepest = true;
    }
  }
  return { reached: path.map((command) => command.name()).join(' '), isJson };
}
