import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { text } from '../program/value-type.ts';

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

export const cluster = defineNoun({
  name: 'cluster',
  summary: 'Set up several daemons in mode pro',
  examples: ['svc cluster init'],
  commands: [init],
});
