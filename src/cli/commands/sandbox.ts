import { agentType } from '../completion/suggestions.ts';
import { optional } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { json } from '../program/shared-options.ts';

const explain = defineCommand({
  name: 'explain',
  summary: 'Show what an agent or a command can see and reach',
  examples: ['svc sandbox explain', 'svc sandbox explain claude'],
  args: { agent: optional(agentType, 'Coding agent (default: the commands of tools)') },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./sandbox/explain-sandbox.ts')).explainSandbox(cli, args.agent, options),
});

const test = defineCommand({
  name: 'test',
  summary: 'Try to leave the sandbox (exit code 1 if it leaks)',
  examples: ['svc sandbox test', 'svc sandbox test claude'],
  args: { agent: optional(agentType, 'Coding agent (default: the commands of tools)') },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./sandbox/test-sandbox.ts')).testSandbox(cli, args.agent, options),
});

/** Not among the nouns of the first help screen, which has no room; the guides of agents and of the sandbox name it. */
export const sandbox = defineNoun({
  name: 'sandbox',
  summary: 'Explain and test the sandbox of agents and commands',
  examples: ['svc sandbox explain claude', 'svc sandbox test claude'],
  isHidden: true,
  commands: [explain, test],
});
