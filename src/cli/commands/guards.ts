import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { withExamples } from '../program.ts';

interface Options {
  json?: boolean;
}

const guards = () => import('../guards/guards.ts');

/** `svc guards`. */
export function fillGuards(command: Command, cli: Cli): void {
  withExamples(command, ['svc guards ls', 'svc guards enable shell-injection']);
  withExamples(command.command('ls').description('list the guards that look at every call of a tool'), [
    'svc guards ls',
    'svc guards ls --json',
  ])
    .option('--json', 'print the answer of the daemon')
    .action(async (options: Options) => (await guards()).listGuards(cli, options));
  withExamples(command.command('enable').description('turn a guard on'), [
    'svc guards enable shell-injection',
  ])
    .argument('<name>', 'such as shell-injection')
    .option('--json', 'print the answer of the daemon')
    .action(async (name: string, options: Options) => (await guards()).enableGuard(cli, name, options));
  withExamples(command.command('disable').description('turn a guard off, which opens a hole'), [
    'svc guards disable rate-limit',
    'svc guards disable rate-limit --yes',
  ])
    .argument('<name>', 'such as rate-limit')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print the answer of the daemon')
    .action(async (name: string, options: Options & { yes?: boolean }) =>
      (await guards()).disableGuard(cli, name, options),
    );
}
