import { Command, Help } from 'commander';
import type { Cli } from './cli.ts';
import { nounList } from '../commands/noun-list.ts';
import type { CommandSpec } from './define-command.ts';
import { globalOptions } from './global-option-list.ts';
import { helpTopics } from './help-topics.ts';
import { addExamples, addOptions, registerCommand } from './register-command.ts';
import { readVersion } from './version.ts';

/** What the program says about itself. */
export const programSummary = 'A durable task runner for AI agents, on your own machine.';

export const programExamples = ['svc run --agent command -- "wc -l README.md"', 'svc daemon status'];

/** The tree of commands; nouns that are not among the loaded ones are known by their names only. */
export function createProgram(cli: Cli, loaded: readonly CommandSpec[]): Command {
  const program = new Command('svc');
  program
    .exitOverride()
    // Failures are reported in one place, as one line.
    .configureOutput({ outputError: () => undefined })
    .configureHelp({
      showGlobalOptions: true,
      helpWidth: Math.min(process.stdout.columns || 80, 100),
      optionDescription: ({ description }) => description,
      argumentDescription: ({ description }) => description,
      subcommandTerm: (command) => command.name(),
      formatHelp: (command, helper) => {
        const text = Help.prototype.formatHelp.call(helper, command, helper);
        return command === program ? onOneScreen(text) : text;
      },
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
  program.addHelpText('after', `Help topics: ${helpTopics.map(({ name }) => `svc help ${name}`).join(', ')}`);
  return program;
}

/** Without the empty lines around the groups of commands, the help of the program fits one screen. */
function onOneScreen(text: string): string {
  const groups = new Set(nounList.map(({ group }) => group));
  return [...groups].reduce((shorter, group) => shorter.replace(`\n\n${group}`, `\n${group}`), text);
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
