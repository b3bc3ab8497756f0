import { optional } from '../program/arguments.ts';
import { defineCommand } from '../program/define-command.ts';
import { flag } from '../program/options.ts';
import { text } from '../program/value-type.ts';

export const ui = defineCommand({
  name: 'ui',
  summary: 'Open the web UI in a browser, signed in',
  examples: ['svc ui', 'svc ui tasks', 'svc ui --print'],
  args: { page: optional(text, 'Page to open, such as tasks or tasks/ID') },
  options: [flag('--print', 'Print the one-time link instead of opening it')],
  run: async ({ cli, args, options }) => (await import('./ui/open-ui.ts')).openUi(cli, args.page, options),
});
