import type { Command, Option } from 'commander';
import type { Cli } from '../cli.ts';
import { escapeLine } from '../escape-text.ts';
import { fillProgram } from '../program.ts';
import { argumentValues, type Candidate, optionValues } from './known-values.ts';

/** Prints what the last word could become, one per line with a tab before what it means. Silent where nothing is known. */
export async function completeWords(cli: Cli, program: Command, words: string[]): Promise<void> {
  await fillProgram(program, cli);
  const word = words.at(-1) ?? '';
  const place = findPlace(program, words.slice(0, -1));
  const candidates = await candidatesAt(cli, place, word);
  for (const [name, text] of candidates)
    if (name.startsWith(word)) cli.output.write(`${name}\t${escapeLine(text)}\n`);
}

interface Place {
  command: Command;
  path: string[];
  /** The option whose value comes next. */
  awaiting: Option | undefined;
}

function findPlace(program: Command, before: string[]): Place {
  const place: Place = { command: program, path: [], awaiting: undefined };
  for (const word of before) {
    if (place.awaiting) {
      place.awaiting = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = optionsOf(place.command).find(({ short, long }) => word === short || word === long);
      place.awaiting = option?.required ? option : undefined;
      continue;
    }
    const next = place.command.commands.find((command) => command.name() === word);
    if (!next) continue;
    place.command = next;
    place.path.push(word);
  }
  return place;
}

async function candidatesAt(
  cli: Cli,
  { command, path, awaiting }: Place,
  word: string,
): Promise<Candidate[]> {
  if (awaiting) return optionValues(cli, path, awaiting.long ?? '');
  if (word.startsWith('-'))
    return optionsOf(command).flatMap(({ long, hidden, description }) =>
      long && !hidden ? [[long, description]] : [],
    );
  if (command.commands.length > 0)
    return command
      .createHelp()
      .visibleCommands(command)
      .map((each) => [each.name(), each.description()]);
  return argumentValues(cli, path);
}

const optionsOf = (command: Command): Option[] => [
  ...command.options,
  ...command.createHelp().visibleGlobalOptions(command),
];
