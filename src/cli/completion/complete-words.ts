import { ApiError } from '../../contract/client.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Cli } from '../program/cli.ts';
import { escapeLine } from '../output/escape-text.ts';
import { loadNouns } from '../program/program.ts';
import type { CommandSpec } from '../program/define-command.ts';
import { globalOptions } from '../program/global-option-list.ts';
import { helpTopics } from '../program/help-topics.ts';
import type { OptionSpec } from '../program/options.ts';
import type { Candidate, ValueType } from '../program/value-type.ts';
import { findPosition, type Position } from './find-position.ts';

const TIMEOUT_MS = 1000;

/** Prints completions of the last word, one per line, each with a tab and its meaning. */
export async function completeWords(cli: Cli, words: string[]): Promise<void> {
  const word = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const isHelp = before[0] === 'help';
  const commandWords = isHelp ? before.slice(1) : before;
  const position = findPosition(await loadNouns(commandWords), commandWords);
  const candidates =
    isHelp && !position.command
      ? [...commandCandidates(position.commands), ...topicCandidates()]
      : await candidatesAt(cli, position, word);
  for (const [name, meaning] of candidates)
    if (name.startsWith(word)) cli.output.write(`${name}\t${escapeLine(meaning)}\n`);
}

async function candidatesAt(cli: Cli, position: Position, word: string): Promise<readonly Candidate[]> {
  const { command, commands, awaiting } = position;
  if (awaiting?.type) return valuesOf(cli, awaiting.type, position);
  if (word.startsWith('-')) return optionCandidates([...(command?.options ?? []), ...globalOptions]);
  if (commands.length > 0) return commandCandidates(commands);
  const args = Object.values(command?.args ?? {});
  const last = args.at(-1);
  const argument = args[position.argumentCount] ?? (last?.isVariadic ? last : undefined);
  return argument ? valuesOf(cli, argument.type, position) : [];
}

const commandCandidates = (commands: readonly CommandSpec[]): Candidate[] =>
  commands.filter(({ isHidden }) => !isHidden).map(({ name, summary }) => [name, summary]);

const topicCandidates = () => helpTopics.map(({ name, summary }): Candidate => [name, summary]);

const optionCandidates = (options: readonly OptionSpec[]): Candidate[] =>
  options.map(({ flags, help }) => [/--[\w-]+/.exec(flags)?.[0] ?? '', help]);

/** Returns only what is known here if the daemon does not respond in time, because the user is typing. */
async function valuesOf(cli: Cli, type: ValueType, { values }: Position): Promise<readonly Candidate[]> {
  const known = type.choices?.words ?? [];
  if (!type.suggest) return known;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await type.suggest(cli, { signal, values });
  } catch (error) {
    if (error instanceof CliError || error instanceof ApiError || signal.aborted) return known;
    throw error;
  }
}
