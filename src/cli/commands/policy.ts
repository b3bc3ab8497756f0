import { type Command, Option } from 'commander';
import type { Cli } from '../cli.ts';
import { oneOf } from '../option-parsers.ts';
import { modeMeanings, securityModes } from '../policy/mode-meanings.ts';
import type { SetPolicyOptions } from '../policy/set-policy.ts';
import { withExamples } from '../program.ts';

/** `svc policy`. */
export function fillPolicy(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc policy show',
    'svc policy set --mode allowlist --allow read_file',
    'svc policy set --block "web_*"',
  ]);
  withExamples(command.command('show').description('show which tools may run, and who is asked'), [
    'svc policy show',
    'svc policy show --json',
  ])
    .option('--json', 'print the answer of the daemon')
    .action(async (options: { json?: boolean }) =>
      (await import('../policy/show-policy.ts')).showPolicy(cli, options),
    );
  const noApproval = new Option(
    '--no-approval <tool...>',
    'take it from the tools that are always asked for',
  );
  // Or it would be the opposite of --approval and take no value.
  noApproval.negate = false;
  const modes = Object.entries(modeMeanings).map(([name, meaning]) => `  ${name.padEnd(10)} ${meaning}\n`);
  withExamples(command.command('set').description('change it; what is not named stays as it is'), [
    'svc policy set --mode ask --require-approval run_command',
    'svc policy set --allow read_file list_directory --disallow "web_*"',
    'svc policy set --unblock "web_*" --no-approval run_command',
  ])
    .option(
      '--mode <mode>',
      `${securityModes.join(', ')}: for runs that ask for nothing stricter`,
      oneOf(securityModes),
    )
    .option('--allow <tool...>', 'needs no approval; a * at the end stands for anything')
    .option('--disallow <tool...>', 'take it from the allowed tools')
    .option('--block <tool...>', 'never runs, in no mode')
    .option('--unblock <tool...>', 'take it from the blocked tools')
    .option('--require-approval <tool...>', 'always ask, except in the mode full')
    .addOption(noApproval)
    .option('--json', 'print the answer of the daemon')
    .addHelpText('after', `\nModes:\n${modes.join('').trimEnd()}`)
    .action(async (options: SetPolicyOptions) =>
      (await import('../policy/set-policy.ts')).setPolicy(cli, options),
    );
}
