import { agentType, addedAgent, modelName } from '../completion/suggestions.ts';
import { optional, required, several } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { json, limit } from '../program/shared-options.ts';
import { text } from '../program/value-type.ts';
import { environmentOptions } from './tasks/environment-options.ts';

const ls = defineCommand({
  name: 'ls',
  summary: 'List agents and whether they can take tasks',
  examples: ['svc agents ls'],
  options: [json],
  run: async ({ cli, options }) => (await import('./agents/list-agents.ts')).listAgents(cli, options),
});

const show = defineCommand({
  name: 'show',
  summary: 'Show an agent and its settings',
  examples: ['svc agents show claude', 'svc agents show claude --json'],
  args: { name: required(agentType) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./agents/show-agent.ts')).showAgent(cli, args.name, options),
});

const add = defineCommand({
  name: 'add',
  summary: 'Add an agent that speaks the Agent Client Protocol',
  examples: [
    'svc agents add goose --acp -- goose acp',
    'svc agents add my-agent --acp --env MY_AGENT_KEY -- /opt/my-agent/bin/agent --acp',
  ],
  args: {
    name: required(text, 'Name: lower-case letters, digits and hyphens'),
    program: several(text, 'Its program and the arguments'),
  },
  options: [
    flag('--acp', 'It speaks the Agent Client Protocol (the default)'),
    option('--model <model>', 'Model (default: its own choice)', text),
    ...environmentOptions,
    flag('--force', 'Replace an agent that was added under this name'),
    json,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./agents/add-agent.ts')).addAgent(cli, args.name, args.program, options),
});

const rm = defineCommand({
  name: 'rm',
  summary: 'Remove an agent that was added',
  examples: ['svc agents rm my-agent'],
  args: { name: required(addedAgent) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./agents/remove-agent.ts')).removeAgent(cli, args.name, options),
});

const test = defineCommand({
  name: 'test',
  summary: 'Test an agent, or check the health of all (exit code 1)',
  examples: [
    'svc agents test',
    'svc agents test claude',
    'svc agents test opencode --model openai/gpt-5-mini',
  ],
  args: { type: optional(agentType, 'Agent to test (default: the health of all that are configured)') },
  options: [option('--model <model>', 'Model for the test (default: that of its settings)', modelName), json],
  run: async ({ cli, args, options }) =>
    (await import('./agents/test-agents.ts')).testAgents(cli, args.type, options),
});

const sessions = defineCommand({
  name: 'sessions',
  summary: 'List the sessions that svc run --continue can continue',
  examples: ['svc agents sessions', 'svc agents sessions --agent claude'],
  options: [option('-a, --agent <type>', 'Filter by agent', agentType), limit, json],
  run: async ({ cli, options }) => (await import('./agents/list-sessions.ts')).listSessions(cli, options),
});

export const agents = defineNoun({
  name: 'agents',
  summary: 'List, test and add agents',
  examples: ['svc agents ls', 'svc agents test claude', 'svc agents add goose --acp -- goose acp'],
  commands: [ls, show, test, sessions, add, rm],
});
