import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag } from '../program/options.ts';
import { json } from '../program/shared-options.ts';

const ls = defineCommand({
  name: 'ls',
  summary: 'List tools and MCP servers',
  examples: ['svc tools ls', 'svc tools ls --json', 'svc tools ls --quiet'],
  options: [json, flag('-q, --quiet', 'Print names only')],
  run: async ({ cli, options }) => (await import('./tools/list-tools.ts')).listTools(cli, options),
});

export const tools = defineNoun({
  name: 'tools',
  summary: 'List the tools that models can call',
  examples: ['svc tools ls', 'svc tools ls --json'],
  commands: [ls],
});
