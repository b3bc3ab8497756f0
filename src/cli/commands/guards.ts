import { guardName } from '../completion/suggestions.ts';
import { required } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { json, yes } from '../program/shared-options.ts';

const ls = defineCommand({
  name: 'ls',
  summary: 'List tool guards',
  examples: ['svc guards ls', 'svc guards ls --json'],
  options: [json],
  run: async ({ cli, options }) => (await import('./guards/guards.ts')).listGuards(cli, options),
});

const enable = defineCommand({
  name: 'enable',
  summary: 'Enable a guard',
  examples: ['svc guards enable shell-injection'],
  args: { name: required(guardName) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./guards/guards.ts')).enableGuard(cli, args.name, options),
});

const disable = defineCommand({
  name: 'disable',
  summary: 'Disable a guard, which weakens protection',
  examples: ['svc guards disable rate-limit', 'svc guards disable rate-limit --yes'],
  args: { name: required(guardName) },
  options: [yes, json],
  run: async ({ cli, args, options }) =>
    (await import('./guards/guards.ts')).disableGuard(cli, args.name, options),
});

export const guards = defineNoun({
  name: 'guards',
  summary: 'Enable or disable tool guards',
  examples: ['svc guards ls', 'svc guards enable shell-injection'],
  commands: [ls, enable, disable],
});
