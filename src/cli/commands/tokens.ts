import { choiceTable } from '../../contract/choice-table.ts';
import { id } from '../ids/id-type.ts';
import { required, several } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option, repeatable, requiredRepeatable } from '../program/options.ts';
import { json, jsonEach, quiet } from '../program/shared-options.ts';
import { choice, decimal, text, wholeNumber } from '../program/value-type.ts';
import { scopeMeanings } from '../../contract/scope-meanings.ts';

const create = defineCommand({
  name: 'create',
  summary: 'Create an API token and print it once',
  examples: [
    'svc tokens create ci --scope gateway:write',
    "svc tokens create editor --scope models:use --model 'openai/*' --cost-per-day 5",
    'TOKEN=$(svc tokens create ci --scope gateway:write --scope gateway:read)',
  ],
  args: { name: required(text, 'Name of the token') },
  options: [
    requiredRepeatable(
      '--scope <scope>',
      'Grant a scope',
      choice(choiceTable.tokens.create.scopes, { meanings: scopeMeanings, title: 'Scopes' }),
    ),
    option('--days <n>', 'Days until it expires (default: never)', wholeNumber),
    option('--tokens-per-day <n>', 'Limit its model tokens per day (UTC)', wholeNumber),
    option('--cost-per-day <usd>', 'Limit its cost per day (UTC), in USD', decimal),
    option('--tokens-per-month <n>', 'Limit its model tokens per month (UTC)', wholeNumber),
    option('--cost-per-month <usd>', 'Limit its cost per month (UTC), in USD', decimal),
    repeatable('--model <pattern>', 'Allow only these models at /v1, such as openai/*', text),
    option('--requests-per-minute <n>', 'Limit its calls of models at /v1 per minute', wholeNumber),
    option('--tokens-per-minute <n>', 'Limit its model tokens at /v1 per minute', wholeNumber),
    flag('--json', "Print the daemon's response as JSON, with the token"),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./tokens/api-tokens.ts')).createToken(cli, args.name, options),
});

const ls = defineCommand({
  name: 'ls',
  summary: 'List your API tokens, newest first',
  examples: ['svc tokens ls', 'svc tokens ls --json', 'svc tokens ls --quiet'],
  options: [json, quiet],
  run: async ({ cli, options }) => (await import('./tokens/api-tokens.ts')).listTokens(cli, options),
});

const revoke = defineCommand({
  name: 'revoke',
  summary: 'Revoke API tokens',
  examples: [
    'svc tokens revoke 0199',
    'svc tokens revoke 0199 019a',
    'svc tokens ls --quiet | xargs svc tokens revoke',
  ],
  args: { id: several(id('token')) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./tokens/api-tokens.ts')).revokeTokens(cli, args.id, options),
});

export const tokens = defineNoun({
  name: 'tokens',
  summary: 'Create and revoke API tokens',
  examples: ['svc tokens create ci --scope gateway:write', 'svc tokens ls', 'svc tokens revoke 0199'],
  commands: [create, ls, revoke],
});
