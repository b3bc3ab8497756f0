import { locate } from '../../contract/locations.ts';
import type { Cli } from './cli.ts';
import type { Connection } from '../connection/connection.ts';
import { openConnection } from '../connection/open-connection.ts';
import { noteSkew } from '../connection/version-skew.ts';
import { readEnvironment } from './environment.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { Output } from '../output/output.ts';
import type { GlobalOptions } from './global-options.ts';
import { createProgram, loadNouns } from './program.ts';
import { readWords } from './read-words.ts';
import { withoutMistakenCommands } from './mistaken-commands.ts';
import { formatTopic, helpTopics } from './help-topics.ts';

/** Runs one command and returns the exit code; never throws. */
export async function runCli(words: string[]): Promise<number> {
  const platform = readEnvironment();
  let connection: Connection | undefined;
  const cli: Cli = {
    platform,
    locations: locate(platform),
    output: new Output(process, platform.env),
    exitCode: exitCodes.done,
    get options() {
      return program.opts<GlobalOptions>();
    },
    get isJson() {
      return readWords(program, parsed).isJson;
    },
    connect: (options) => (connection ??= openConnection(cli, options)),
  };
  const topic = words.length === 2 && words[0] === 'help' ? words[1] : undefined;
  const page = helpTopics.find(({ name }) => name === topic);
  if (page) {
    cli.output.write(formatTopic(page));
    return exitCodes.done;
  }
  const parsed = withHelp(words);
  const program = createProgram(cli, withoutMistakenCommands(await loadNouns(parsed), parsed));
  try {
    await program.parseAsync(parsed, { from: 'user' });
    await noteSkew(cli, connection);
    return cli.exitCode;
  } catch (error) {
    const { reportError } = await import('../errors/report-error.ts');
    const exitCode = reportError(error, cli, readWords(program, words).reached);
    await noteSkew(cli, connection);
    return exitCode;
  }
}

/** `svc` and `svc help tasks` are `svc --help` and `svc tasks --help`. */
function withHelp(words: string[]): string[] {
  if (words.length === 0) return ['--help'];
  return words[0] === 'help' ? [...words.slice(1), '--help'] : words;
}
