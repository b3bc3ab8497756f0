import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Cli } from '../cli.ts';
import { wholeNumber } from '../option-parsers.ts';
import { withExamples } from '../program.ts';
import type { CreateOptions } from '../tokens/api-tokens.ts';
import { scopeMeanings } from '../tokens/scope-meanings.ts';

const apiTokens = () => import('../tokens/api-tokens.ts');

/** `svc tokens`. */
export function fillTokens(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc tokens create ci --scope gateway:write',
    'svc tokens ls',
    'svc tokens revoke 0199',
  ]);
  fillCreate(command, cli);
  withExamples(command.command('ls').description('list your API tokens, newest first'), [
    'svc tokens ls',
    'svc tokens ls --json',
    'svc tokens ls --quiet',
  ])
    .option('--json', 'print the answer of the daemon')
    .option('-q, --quiet', 'print the ids only')
    .action(async (options: { json?: boolean; quiet?: boolean }) =>
      (await apiTokens()).listTokens(cli, options),
    );
  withExamples(command.command('revoke').description('take API tokens back at once'), [
    'svc tokens revoke 0199',
    'svc tokens revoke 0199 019a',
    'svc tokens ls --quiet | xargs svc tokens revoke',
  ])
    .argument('<id...>', 'ids or the beginnings of them')
    .option('--json', 'print the answers of the daemon')
    .action(async (ids: string[], options: { json?: boolean }) =>
      (await apiTokens()).revokeTokens(cli, ids, options),
    );
}

function fillCreate(command: Command, cli: Cli): void {
  const scopes = Object.entries(scopeMeanings).map(([name, meaning]) => `  ${name.padEnd(15)} ${meaning}\n`);
  withExamples(command.command('create').description('make an API token and print it, once'), [
    'svc tokens create ci --scope gateway:write',
    'svc tokens create report --scope gateway:read --days 30',
    'TOKEN=$(svc tokens create ci --scope gateway:write --scope gateway:read)',
  ])
    .argument('<name>', 'what it is for')
    .addOption(
      new Option('--scope <scope>', 'what it may do; may be repeated')
        .argParser(gatherScope)
        .makeOptionMandatory(),
    )
    .option('--days <n>', 'how long it is good; for good unless given', wholeNumber)
    .option('--json', 'print the answer of the daemon, with the token')
    .addHelpText('after', `\nScopes:\n${scopes.join('').trimEnd()}`)
    .action(async (name: string, options: CreateOptions) =>
      (await apiTokens()).createToken(cli, name, options),
    );
}

function gatherScope(value: string, earlier: string[] = []): string[] {
  if (Object.hasOwn(scopeMeanings, value)) return [...earlier, value];
  throw new InvalidArgumentError(`Allowed choices are ${Object.keys(scopeMeanings).join(', ')}.`);
}
