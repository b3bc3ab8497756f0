import { settingKey } from '../completion/suggestions.ts';
import { optional, required } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag } from '../program/options.ts';
import { json } from '../program/shared-options.ts';
import { text } from '../program/value-type.ts';

const ls = defineCommand({
  name: 'ls',
  summary: 'List settings and where each value comes from',
  examples: ['svc config ls'],
  options: [json],
  run: async ({ cli, options }) => (await import('./config/settings.ts')).listSettings(cli, options),
});

const get = defineCommand({
  name: 'get',
  summary: 'Print the value of a setting',
  examples: ['svc config get queue.concurrency'],
  args: { key: required(settingKey) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./config/settings.ts')).getSetting(cli, args.key, options),
});

const set = defineCommand({
  name: 'set',
  summary: 'Change a setting',
  examples: [
    'svc config set queue.concurrency 4',
    'svc config set agents.default http',
    'svc config set integrations.github.clientSecret < secret',
  ],
  args: {
    key: required(settingKey),
    value: optional(
      text,
      'JSON, text or a comma-separated list; a secret is prompted for or read from stdin',
    ),
  },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./config/settings.ts')).setSetting(cli, args.key, args.value, options),
});

const unset = defineCommand({
  name: 'unset',
  summary: 'Reset a setting to its default',
  examples: ['svc config unset queue.concurrency'],
  args: { key: required(settingKey) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./config/settings.ts')).unsetSetting(cli, args.key, options),
});

const path = defineCommand({
  name: 'path',
  summary: 'Print the paths of all files and directories',
  examples: ['svc config path'],
  options: [flag('--json', 'Print the paths as JSON')],
  run: async ({ cli, options }) => (await import('./config/settings.ts')).showPaths(cli, options),
});

export const config = defineNoun({
  name: 'config',
  summary: 'Show and change settings',
  examples: ['svc config ls', 'svc config set queue.concurrency 4', 'svc config get agents.default'],
  commands: [ls, get, set, unset, path],
});
