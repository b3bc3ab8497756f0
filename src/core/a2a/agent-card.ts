import { A2A_VERSION, a2aPath } from '../../contract/a2a-path.ts';

const text = ['text/plain'];
const input = ['text/plain', 'application/json'];

/** The skill that anyone may know of: which agents there are is for callers with a token. */
export const TASK_SKILL = 'task';

const anyTask = {
  id: TASK_SKILL,
  name: 'Run a task',
  description: 'Runs the task that the message describes, with the agent that the service chooses.',
  tags: ['task'],
};

interface CardInput {
  /** Without a trailing slash. */
  baseUrl: string;
  version: string;
  /** The agents that the caller may name; none on the public card. */
  agents?: readonly { type: string; name: string; capabilities: readonly string[] }[];
}

/** What the service tells of itself to other agents; it holds no secret, and the public one names no agent. */
export const agentCard = ({ baseUrl, version, agents = [] }: CardInput): object => ({
  name: 'svc',
  description: 'Runs tasks with AI agents, under the approvals and the budgets of its owner.',
  version,
  supportedInterfaces: [
    { url: `${baseUrl}${a2aPath}`, protocolBinding: 'JSONRPC', protocolVersion: A2A_VERSION },
  ],
  capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
  securitySchemes: {
    bearer: {
      httpAuthSecurityScheme: {
        scheme: 'Bearer',
        description: 'An API token with the scope tasks:write or gateway:write; tasks:read only reads.',
      },
    },
  },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  defaultInputModes: input,
  defaultOutputModes: text,
  skills: [
    anyTask,
    ...agents.map(({ type, name, capabilities }) => ({
      id: type,
      name,
      description: `Runs the task with the agent ${name}. Choose it with the metadata "skill": "${type}".`,
      tags: ['agent', ...capabilities],
    })),
  ],
});
