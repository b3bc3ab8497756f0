import type { CommandSpec } from './define-command.ts';

/** What an id or its beginning looks like; ids of a kind begin with a word and `_`. */
const idLike = /^([a-z]+_.*|[0-9a-f-]+)$/;

/**
 * The nouns as they are registered. Behind a noun that takes text, such as `svc chat`, a word is a command only right
 * behind the noun and with what the command takes: `svc chat show 0199`, but not `svc chat show me the files` or
 * `svc chat -- ls`.
 */
export const withoutMistakenCommands = (
  nouns: readonly CommandSpec[],
  words: readonly string[],
): readonly CommandSpec[] =>
  nouns.map((noun) =>
    Object.keys(noun.args).length === 0 || noun.commands.length === 0 || isCommandLine(noun, words)
      ? noun
      : { ...noun, commands: [] },
  );

function isCommandLine(noun: CommandSpec, words: readonly string[]): boolean {
  const [first, ...rest] = words.slice(words.indexOf(noun.name) + 1);
  // Alone, and for its help, the noun shows its commands.
  if (first === undefined || words.some((word) => word === '--help' || word === '-h')) return true;
  const command = noun.commands.find(({ name }) => name === first);
  if (!command) return false;
  const operands = operandsOf(command, rest);
  const args = Object.values(command.args);
  return (
    (args.some(({ isVariadic }) => isVariadic) || operands.length <= args.length) && operands.every(isId)
  );
}

const isId = (word: string) => idLike.test(word);

/** The words that are neither options nor their values. */
function operandsOf({ options }: CommandSpec, words: readonly string[]): string[] {
  const operands: string[] = [];
  let isValue = false;
  for (const word of words) {
    if (isValue) isValue = false;
    else if (word.startsWith('-'))
      isValue = options.some(({ flags, type }) => type && namesOf(flags).has(word));
    else operands.push(word);
  }
  return operands;
}

const namesOf = (flags: string) => new Set(flags.split(/[ ,]+/));
