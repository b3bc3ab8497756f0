import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { wholeNumber } from '../option-parsers.ts';
import { withExamples } from '../program.ts';
import type { ListAuditOptions } from '../audit/audit-entries.ts';

const entries = () => import('../audit/audit-entries.ts');

/** `svc audit`. */
export function fillAudit(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc audit ls',
    'svc audit ls --tool auth.sign_in --from 2026-11-01',
    'svc audit verify',
  ]);
  withExamples(command.command('ls').description('list the entries, newest first'), [
    'svc audit ls',
    'svc audit ls --tool auth.sign_in --limit 20',
    'svc audit ls --user user_0199 --json',
  ])
    .option('--tool <name>', 'only of this tool or event')
    .option('--user <id>', 'only of this user')
    .option('--from <time>', 'from this moment on: YYYY-MM-DD or ISO 8601')
    .option('--to <time>', 'up to this moment')
    .option('--limit <n>', 'how many, at most 500', wholeNumber)
    .option('--offset <n>', 'how many to leave out', wholeNumber)
    .option('--json', 'print the answer of the daemon')
    .action(async (options: ListAuditOptions) => (await entries()).listAudit(cli, options));
  withExamples(command.command('show').description('show an entry whole'), [
    'svc audit show audit_0199',
    'svc audit show audit_0199 --json',
  ])
    .argument('<id>', 'its id')
    .option('--json', 'print the answer of the daemon')
    .action(async (id: string, options: { json?: boolean }) => (await entries()).showAudit(cli, id, options));
  withExamples(
    command.command('verify').description('check that no entry was changed, removed or moved (exit code 7)'),
    ['svc audit verify', 'svc audit verify --json'],
  )
    .option('--json', 'print the answer of the daemon')
    .action(async (options: { json?: boolean }) => (await entries()).verifyAudit(cli, options));
}
