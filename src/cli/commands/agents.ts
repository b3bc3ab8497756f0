import { agentType } from '../completion/suggestions.ts';
import { optional } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { json } from '../program/shared-options.ts';

const ls = defineCommand({
  name: 'ls',
  summary: 'List agents and their health',
  examples: ['svc agents ls'],
  options: [json],
  run: async ({ cli, options }) => (await import('./agents/list-agents.ts')).listAgents(cli, options),
});

const test = defineCommand({
  name: 'test',
  summary: 'Check agent health (exit code 1 when unhealthy)',
  examples: ['svc agents test', 'svc agents test http'],
  args: { type: optional(agentType, 'Agent type (default: all configured agents)') },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./agents/list-agents.ts')).testAgents(cli, args.type, options),
});

export const agents = defineNoun({
  name: 'agents',
  summary: 'List and test agents',
  examples: ['svc agents ls', 'svc agents test command'],
  commands: [ls, test],
});
