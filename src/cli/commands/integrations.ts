import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import type { ConnectOptions } from '../integrations/connect.ts';
import { duration } from '../option-parsers.ts';
import { withExamples } from '../program.ts';
import { readVendor, type Vendor } from '../vendors.ts';

interface Options {
  json?: boolean;
}

const names = 'github, jira or linear';

/** `svc integrations`. */
export function fillIntegrations(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc integrations ls',
    'svc integrations connect github',
    'svc integrations disconnect jira',
  ]);
  withExamples(command.command('ls').description('show what is connected, and what is missing'), [
    'svc integrations ls',
    'svc integrations ls --json',
  ])
    .option('--json', 'print the answers of the daemon')
    .action(async (options: Options) =>
      (await import('../integrations/list-integrations.ts')).listIntegrations(cli, options),
    );
  withExamples(
    command.command('connect').description('print a link that connects your account there, and wait'),
    [
      'svc integrations connect github',
      'svc integrations connect jira --no-wait',
      'xdg-open "$(svc integrations connect linear --no-wait)"',
    ],
  )
    .argument('<name>', names, readVendor)
    .option('--again', 'also where an account is connected; does not wait')
    .option('--no-wait', 'print the link only')
    .option('--timeout <duration>', 'stop waiting after 30s, 5m … (exit code 8); 10m unless given', duration)
    .option('--json', 'print the link, then the status, as JSON lines')
    .action(async (vendor: Vendor, options: ConnectOptions) =>
      (await import('../integrations/connect.ts')).connectVendor(cli, vendor, options),
    );
  withExamples(command.command('disconnect').description('take the access back and forget it'), [
    'svc integrations disconnect github',
    'svc integrations disconnect jira --yes',
    'svc integrations disconnect github --user user_0199',
  ])
    .argument('<name>', names, readVendor)
    .option('--user <id>', 'Disconnect the account of another user; administrators only')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print the answer of the daemon')
    .action(async (vendor: Vendor, options: Options & { yes?: boolean; user?: string }) =>
      (await import('../integrations/disconnect.ts')).disconnectVendor(cli, vendor, options),
    );
}
