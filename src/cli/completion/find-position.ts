import type { CommandSpec } from '../program/define-command.ts';
import { globalOptions } from '../program/global-option-list.ts';
import { longFlag, type OptionSpec } from '../program/options.ts';

/** Where in a command line the next word goes. */
export interface Position {
  /** Undefined before the first noun. */
  command: CommandSpec | undefined;
  /** The commands that may come next. */
  commands: readonly CommandSpec[];
  /** The option whose value comes next. */
  awaiting: OptionSpec | undefined;
  argumentCount: number;
  /** The arguments and options so far, by their names. */
  values: Map<string, string>;
}

/** Follows words into the tree of commands. */
export function findPosition(nouns: readonly CommandSpec[], words: readonly string[]): Position {
  const position: Position = {
    command: undefined,
    commands: nouns,
    awaiting: undefined,
    argumentCount: 0,
    values: new Map(),
  };
  for (const word of words) advance(position, word);
  return position;
}

function advance(position: Position, word: string): void {
  const { command, commands, awaiting, values } = position;
  if (awaiting) {
    values.set(awaiting.name, word);
    position.awaiting = undefined;
  } else if (word.startsWith('-')) {
    const option = [...(command?.options ?? []), ...globalOptions].find((each) => isFlagOf(each, word));
    position.awaiting = option?.type ? option : undefined;
  } else if (commands.length > 0) {
    const next = commands.find(({ name }) => name === word);
    if (next) Object.assign(position, { command: next, commands: next.commands });
  } else {
    const name = Object.keys(command?.args ?? {})[position.argumentCount++];
    if (name !== undefined) values.set(name, word);
  }
}

const isFlagOf = ({ flags }: OptionSpec, word: string) =>
  word === longFlag(flags) || flags.startsWith(`${word},`);
