import { contextName } from '../completion/suggestions.ts';
import { required } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag } from '../program/options.ts';

const json = flag('--json', 'Print all contexts as JSON, without tokens');

const ls = defineCommand({
  name: 'ls',
  summary: 'List contexts',
  examples: ['svc context ls'],
  options: [json],
  run: async ({ cli, options }) => (await import('./context/contexts.ts')).listContexts(cli, options),
});

const use = defineCommand({
  name: 'use',
  summary: 'Switch to a context',
  examples: ['svc context use build', 'svc context use local'],
  args: { name: required(contextName, 'Name of the context; local is the daemon of this machine') },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./context/contexts.ts')).useContext(cli, args.name, options),
});

const set = defineCommand({
  name: 'set',
  summary: 'Create or change a context for the daemon at --url',
  examples: [
    'svc context set build --url https://svc.example.com',
    'svc auth login --context build',
    'svc context set build --url https://svc.example.com --token-stdin < token',
  ],
  args: { name: required(contextName) },
  options: [flag('--token-stdin', 'Read a session or an API token from stdin'), json],
  run: async ({ cli, args, options }) =>
    (await import('./context/contexts.ts')).setContext(cli, args.name, options),
});

const rm = defineCommand({
  name: 'rm',
  summary: 'Remove a context and its token',
  examples: ['svc context rm build'],
  args: { name: required(contextName) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./context/contexts.ts')).removeContext(cli, args.name, options),
});

export const context = defineNoun({
  name: 'context',
  summary: 'Switch between daemons',
  examples: [
    'svc devices pair --url https://svc.example.com --name build',
    'svc context use build',
    'svc context use local',
  ],
  commands: [ls, use, set, rm],
});
