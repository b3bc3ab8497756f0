import { defineCommand } from '../program/define-command.ts';
import { flag } from '../program/options.ts';
import { json } from '../program/shared-options.ts';

export const health = defineCommand({
  name: 'health',
  summary: 'Show daemon health (exit code 1 when unhealthy)',
  examples: ['svc health', 'svc health --detailed', 'svc health --json'],
  options: [flag('--detailed', 'Show every component'), json],
  run: async ({ cli, options }) => (await import('./health/show-health.ts')).showHealth(cli, options),
});
