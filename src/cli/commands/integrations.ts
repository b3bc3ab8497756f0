import { id } from '../ids/id-type.ts';
import { required } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { json, jsonEach, yes } from '../program/shared-options.ts';
import { duration } from '../program/value-type.ts';
import { vendor } from './integrations/vendors.ts';

const ls = defineCommand({
  name: 'ls',
  summary: 'List integrations and what they are missing',
  examples: ['svc integrations ls', 'svc integrations ls --json'],
  options: [jsonEach],
  run: async ({ cli, options }) =>
    (await import('./integrations/list-integrations.ts')).listIntegrations(cli, options),
});

const connect = defineCommand({
  name: 'connect',
  summary: 'Print a link that connects your account, and wait',
  examples: [
    'svc integrations connect github',
    'svc integrations connect jira --no-wait',
    'xdg-open "$(svc integrations connect linear --no-wait)"',
  ],
  args: { name: required(vendor, 'Service to connect') },
  options: [
    flag('--again', 'Reconnect an account that is connected, without waiting'),
    flag('--no-wait', 'Print the link only'),
    option('--timeout <duration>', 'Stop waiting after 30s, 5m … (exit code 8; default: 10m)', duration),
    flag('--json', 'Print the link, then the status, as JSON lines'),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./integrations/connect.ts')).connectVendor(cli, args.name, options),
});

const disconnect = defineCommand({
  name: 'disconnect',
  summary: 'Disconnect your account and revoke the access',
  examples: [
    'svc integrations disconnect github',
    'svc integrations disconnect jira --yes',
    'svc integrations disconnect github --user user_0199',
  ],
  args: { name: required(vendor, 'Service to disconnect') },
  options: [option('--user <id>', 'Act for another user; administrators only', id('user')), yes, json],
  run: async ({ cli, args, options }) =>
    (await import('./integrations/disconnect.ts')).disconnectVendor(cli, args.name, options),
});

export const integrations = defineNoun({
  name: 'integrations',
  summary: 'Connect GitHub, Jira and Linear',
  examples: ['svc integrations ls', 'svc integrations connect github', 'svc integrations disconnect jira'],
  commands: [ls, connect, disconnect],
});
