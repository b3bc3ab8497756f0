import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { withExamples } from '../program.ts';

/** `svc tools`. */
export function fillTools(command: Command, cli: Cli): void {
  withExamples(command, ['svc tools ls', 'svc tools ls --json']);
  withExamples(command.command('ls').description('list what models may call, and the MCP servers'), [
    'svc tools ls',
    'svc tools ls --json',
    'svc tools ls --quiet',
  ])
    .option('--json', 'print the answer of the daemon')
    .option('-q, --quiet', 'print the names only')
    .action(async (options: { json?: boolean; quiet?: boolean }) =>
      (await import('../tools/list-tools.ts')).listTools(cli, options),
    );
}
