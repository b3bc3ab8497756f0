import { optional, required } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { json } from '../program/shared-options.ts';
import { duration, text } from '../program/value-type.ts';

const init = defineCommand({
  name: 'init',
  summary: 'Create the master seed of a cluster',
  examples: ['svc cluster init', 'svc cluster init --file /etc/svc/seed'],
  options: [
    option(
      '--file <file>',
      'Where to create it; by default SVC_MASTER_SEED_FILE, or in the data directory',
      text,
    ),
    flag('--json', 'Print the path of the file as JSON'),
  ],
  run: async ({ cli, options }) => (await import('./cluster/init-cluster.ts')).initCluster(cli, options),
});

const ls = defineCommand({
  name: 'ls',
  summary: 'List the daemons; * marks the one that answers',
  examples: ['svc cluster ls', 'svc cluster ls --json'],
  options: [json],
  run: async ({ cli, options }) => (await import('./cluster/list-daemons.ts')).listDaemons(cli, options),
});

const drain = defineCommand({
  name: 'drain',
  summary: 'Make a daemon take no more tasks, and wait for its runs',
  examples: ['svc cluster drain', 'svc cluster drain web-2 --timeout 10m --stop'],
  args: { id: optional(text, 'Name or ID of the daemon; by default the one that answers') },
  options: [
    option(
      '--timeout <duration>',
      'Stop runs that take longer than 30s, 10m …, and queue them again',
      duration,
    ),
    flag('--stop', 'Stop the daemon then'),
    json,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./cluster/drain-daemon.ts')).drainDaemon(cli, args.id, options),
});

const resume = defineCommand({
  name: 'resume',
  summary: 'Make a drained daemon take tasks again',
  examples: ['svc cluster resume web-2'],
  args: { id: required(text, 'Name or ID of the daemon') },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./cluster/drain-daemon.ts')).resumeDaemon(cli, args.id, options),
});

export const cluster = defineNoun({
  name: 'cluster',
  summary: 'Set up and manage the daemons of mode pro',
  examples: ['svc cluster init', 'svc cluster ls', 'svc cluster drain web-2 --stop'],
  commands: [init, ls, drain, resume],
});
