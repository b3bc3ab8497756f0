import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { withExamples } from '../program.ts';

interface Options {
  json?: boolean;
}

const showing = () => import('../approvals/show-approvals.ts');
const deciding = () => import('../approvals/decide-approvals.ts');

/** `svc approvals`. */
export function fillApprovals(command: Command, cli: Cli): void {
  withExamples(command, ['svc approvals ls', 'svc approvals allow 0199', 'svc approvals deny --all']);
  withExamples(command.command('ls').description('list the calls of tools that wait for a decision'), [
    'svc approvals ls',
    'svc approvals ls --all',
    'svc approvals ls --json',
  ])
    .option('-a, --all', 'also those that are decided or have expired')
    .option('--json', 'print the answer of the daemon')
    .option('-q, --quiet', 'print the ids only')
    .action(async (options: Options & { all?: boolean; quiet?: boolean }) =>
      (await showing()).listApprovals(cli, options),
    );
  withExamples(command.command('show').description('show all of what a call would do'), [
    'svc approvals show 0199',
    'svc approvals show 0199 --json',
  ])
    .argument('<id>', 'its id or the beginning of it')
    .option('--json', 'print it as JSON')
    .action(async (id: string, options: Options) => (await showing()).showApproval(cli, id, options));
  withExamples(command.command('allow').description('let a call run, once'), [
    'svc approvals allow 0199',
    'svc approvals allow 0199 --always',
  ])
    .argument('<id>', 'its id or the beginning of it')
    .option('--always', 'and do not ask again for this tool in the same conversation or task')
    .option('--json', 'print the answer of the daemon')
    .action(async (id: string, options: Options & { always?: boolean }) =>
      (await deciding()).allowApproval(cli, id, options),
    );
  withExamples(command.command('deny').description('do not let calls run; the agent is told and goes on'), [
    'svc approvals deny 0199',
    'svc approvals deny --all',
  ])
    .argument('[id...]', 'ids or the beginnings of them')
    .option('--all', 'all that wait')
    .option('--json', 'print the answers of the daemon')
    .action(async (ids: string[], options: Options & { all?: boolean }) =>
      (await deciding()).denyApprovals(cli, ids, options),
    );
}
