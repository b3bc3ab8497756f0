import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { Cli } from '../cli.ts';
import { closest } from '../closest.ts';
import { exitCodes } from '../exit-codes.ts';
import { wholeNumber } from '../option-parsers.ts';
import { withExamples } from '../program.ts';

interface ListenOptions {
  host?: string;
  port?: number;
}

/** `svc daemon`. */
export function fillDaemon(command: Command, cli: Cli): void {
  withExamples(command, ['svc daemon', 'svc daemon start --port 5000', 'svc daemon logs -f'])
    .usage('[options] [command]')
    .option('--host <host>', 'the address to listen on')
    .option('--port <port>', 'the port to listen on; 0 takes a free one', wholeNumber)
    .argument('[command]')
    .action(async (verb: string | undefined, options: ListenOptions) => {
      if (verb !== undefined) throw unknownVerb(command, verb);
      cli.exitCode = await serve(options);
    });
  const verb = (name: string, summary: string, examples: string[]) =>
    withExamples(command.command(name).description(summary), examples);

  verb('start', 'start the daemon in the background', ['svc daemon start', 'svc daemon start --port 5000'])
    .option('--json', 'print its state as JSON')
    .action(async (options: { json?: boolean }) =>
      (await control()).startDaemon(cli, flagsOf(command.opts<ListenOptions>()), options),
    );
  verb('stop', 'stop the daemon; what runs gets 30 s to end', ['svc daemon stop'])
    .option('--json', 'print its state as JSON')
    .action(async (options: { json?: boolean }) => (await control()).stopDaemon(cli, options));
  verb('restart', 'stop the daemon and start it again', ['svc daemon restart'])
    .option('--json', 'print its state as JSON')
    .action(async (options: { json?: boolean }) =>
      (await control()).restartDaemon(cli, flagsOf(command.opts<ListenOptions>()), options),
    );
  verb('status', 'say whether the daemon runs (exit code 69 when not)', [
    'svc daemon status',
    'svc daemon status --json',
  ])
    .option('--json', 'print it as JSON')
    .action(async (options: { json?: boolean }) => (await control()).showStatus(cli, options));
  verb('logs', 'print the log of the daemon', ['svc daemon logs -n 20', 'svc daemon logs -f'])
    .option('-f, --follow', 'go on as it is written')
    .option('-n, --lines <n>', 'how many lines', wholeNumber, 50)
    .option('--json', 'print the lines as they are')
    .action(async (options: { follow?: boolean; lines: number; json?: boolean }) => {
      const { showLogs } = await import('../daemon/daemon-logs.ts');
      await showLogs(cli, options);
    });
  verb('install', 'let the system start the daemon when you sign in', ['svc daemon install']).action(
    async () => (await import('../daemon/system-service.ts')).installService(cli),
  );
  verb('uninstall', 'undo "install"', ['svc daemon uninstall']).action(async () =>
    (await import('../daemon/system-service.ts')).uninstallService(cli),
  );
}

function unknownVerb(command: Command, verb: string): CliError {
  const meant = closest(
    verb,
    command.commands.map((each) => each.name()),
  );
  return new CliError(
    exitCodes.usage,
    `Unknown command '${verb}'.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    { next: 'See: svc daemon --help' },
  );
}

const control = () => import('../daemon/daemon-control.ts');

const flagsOf = ({ host, port }: ListenOptions): string[] => [
  ...(host === undefined ? [] : ['--host', host]),
  ...(port === undefined ? [] : ['--port', String(port)]),
];

/** Serves in this process until a signal ends it. */
async function serve({ host, port }: ListenOptions): Promise<number> {
  // Loading makes garbage once; a young generation that grew for it would stay large in an idle daemon (12 MiB).
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
  const { runDaemon } = await import('../../daemon/start.ts');
  try {
    return await runDaemon(
      {
        ...(host !== undefined && { 'server.host': host }),
        ...(port !== undefined && { 'server.port': port }),
      },
      () => setFlagsFromString('--semi-space-growth-factor=2'),
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'configuration')
      throw new CliError(exitCodes.configuration, error.message, { cause: error });
    if (error instanceof Error && 'code' in error && error.code === 'unavailable')
      throw new CliError(exitCodes.failed, error.message, { next: 'See: svc daemon status', cause: error });
    throw error;
  }
}
