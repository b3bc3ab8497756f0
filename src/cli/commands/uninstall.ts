import { defineCommand } from '../program/define-command.ts';
import { flag } from '../program/options.ts';
import { yes } from '../program/shared-options.ts';

export const uninstall = defineCommand({
  name: 'uninstall',
  summary: 'Stop the daemon and remove what svc has installed',
  examples: ['svc uninstall', 'svc uninstall --purge'],
  options: [flag('--purge', 'Also delete all data of this machine, after a question'), yes],
  run: async ({ cli, options }) =>
    (await import('./uninstall/uninstall-program.ts')).uninstallProgram(cli, options),
});
