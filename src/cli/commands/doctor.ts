import { defineCommand } from '../program/define-command.ts';
import { flag } from '../program/options.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Diagnose common problems and suggest fixes',
  examples: ['svc doctor', 'svc doctor --fix', 'svc doctor --json'],
  options: [flag('--fix', 'Fix what can be fixed automatically'), flag('--json', 'Print the checks as JSON')],
  run: async ({ cli, options }) => (await import('./doctor/run-checks.ts')).runChecks(cli, options),
});
