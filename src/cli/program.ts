import { Command } from 'commander';
import type { Cli } from './cli.ts';
import { commandList } from './command-list.ts';
import { exitCodeMeanings } from './exit-codes.ts';
import { readVersion } from './version.ts';

/** The tree of commands; what a command is made of is loaded when it runs. */
export function createProgram(cli: Cli): Command {
  const program = new Command('svc');
  program
    .description('Runs work for AI agents: durable tasks, one daemon, one command line.')
    .exitOverride()
    // Failures are told in one place, as one line.
    .configureOutput({ outputError: () => undefined })
    .configureHelp({ showGlobalOptions: true, helpWidth: Math.min(process.stdout.columns || 80, 100) })
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .version(readVersion(), '-V, --version', 'print the version')
    .option('--url <url>', 'the daemon to speak to (SVC_URL)')
    .option('--context <name>', 'the context to use for this command (SVC_CONTEXT)')
    .option('--autostart', 'start the daemon of this machine when none answers, also in CI')
    .option('--no-autostart', 'never start it (SVC_NO_AUTOSTART=1)')
    .option('--debug', 'show what caused an error');
  for (const { name, summary, group, isHidden = false } of commandList)
    program.command(name, { hidden: isHidden }).description(summary).helpCommand(false).helpGroup(group);
  withExamples(program, [
    'svc run --agent command -- "wc -l README.md"',
    'svc tasks ls --status failed',
    'svc daemon status',
  ]);
  program.addHelpText('after', `\nExit codes:\n${exitCodeLines()}`);
  program.hook('preSubcommand', (_, command) => fill(command, cli));
  return program;
}

/** Loads all commands that are shown, for what must know the whole tree. */
export async function fillProgram(program: Command, cli: Cli): Promise<void> {
  for (const command of program.createHelp().visibleCommands(program)) await fill(command, cli);
}

/** Puts up to three true examples at the beginning of the help. */
export function withExamples(command: Command, examples: string[]): Command {
  return command.addHelpText('before', `Examples:\n${examples.map((example) => `  ${example}\n`).join('')}`);
}

async function fill(command: Command, cli: Cli): Promise<void> {
  const entry = commandList.find(({ name }) => name === command.name());
  if (entry) (await entry.load())(command, cli);
}

const exitCodeLines = () =>
  Object.entries(exitCodeMeanings)
    .map(([code, meaning]) => `  ${code.padEnd(4)} ${meaning}`)
    .join('\n');
