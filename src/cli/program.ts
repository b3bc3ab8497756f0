import { Command } from 'commander';
import type { Cli } from './cli.ts';
import { nounList } from './commands/noun-list.ts';
import type { CommandSpec } from './program/define-command.ts';
import { globalOptions } from './program/global-options.ts';
import { helpTopics } from './program/help-topics.ts';
import { addExamples, addOptions, registerCommand } from './program/register-command.ts';
import { readVersion } from './version.ts';

/** What the program says about itself. */
export const programSummary = 'A durable task runner for AI agents, on your own machine.';

export const programExamples = [
  'svc run --agent command -- "wc -l README.md"',
  'svc tasks ls --status failed',
  'svc daemon status',
];

/** The tree of commands; nouns that are not among the loaded ones are known by their names only. */
export function createProgram(cli: Cli, loaded: readonly CommandSpec[]): Command {
  const program = new Command('svc');
  program
    .description(programSummary)
    .exitOverride()
    // Failures are reported in one place, as one line.
    .configureOutput({ outputError: () => undefined })
    .configureHelp({
      showGlobalOptions: true,
      helpWidth: Math.min(process.stdout.columns || 80, 100),
      optionDescription: ({ description }) => description,
      argumentDescription: ({ description }) => description,
    })
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .usage('[options] <command>')
    .version(readVersion(), '-V, --version', 'Print the version');
  addOptions(program, globalOptions);
  addExamples(program, programExamples);
  for (const { name, group } of nounList) {
    const spec = loaded.find((each) => each.name === name);
    const command = program.command(name, { hidden: spec?.isHidden ?? false }).helpGroup(group);
    if (spec) registerCommand(command, spec, cli);
  }
  program.addHelpText(
    'after',
    `\nHelp topics: ${helpTopics.map(({ name }) => `svc help ${name}`).join(', ')}`,
  );
  return program;
}

/** The nouns that these words need: the one that runs, or all where the words name none. */
export function loadNouns(words: readonly string[]): Promise<CommandSpec[]> {
  const named = firstOperand(words);
  const known = nounList.filter(({ name }) => name === named);
  return Promise.all((known.length > 0 ? known : nounList).map(({ load }) => load()));
}

function firstOperand(words: readonly string[]): string | undefined {
  let isValue = false;
  for (const word of words) {
    if (isValue) isValue = false;
    else if (!word.startsWith('-')) return word;
    else
      isValue = globalOptions.some(({ flags, type }) => type !== undefined && flags.startsWith(`${word} `));
  }
  return undefined;
}
