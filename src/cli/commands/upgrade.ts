import { defineCommand } from '../program/define-command.ts';
import { flag } from '../program/options.ts';

export const upgrade = defineCommand({
  name: 'upgrade',
  summary: 'Show how to upgrade svc, or do it with --yes',
  examples: ['svc upgrade', 'svc upgrade --yes'],
  options: [
    flag('-y, --yes', 'Make a backup, run the commands and restart the daemon'),
    flag('--json', 'Print how svc is installed and the commands as JSON'),
  ],
  run: async ({ cli, options }) =>
    (await import('./upgrade/upgrade-program.ts')).upgradeProgram(cli, options),
});
