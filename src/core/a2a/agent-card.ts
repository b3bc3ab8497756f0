import { A2A_LEGACY_VERSION, A2A_VERSION, type A2aVersion, a2aPath } from '../../contract/a2a-path.ts';

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
  /** The version of the protocol that the reader names. */
  speaks: A2aVersion;
  /** The agents that the caller may name; none on the public card. */
  agents?: readonly { type: string; name: string; capabilities: readonly string[] }[];
}

/**
 * What the service tells of itself to other agents; it holds no secret, and the public one names no agent. For readers that do
 * not name version 1.0, it has the fields of version 0.3 as well, so that both find what they look for.
 */
export const agentCard = ({ speaks, ...input }: CardInput): object => {
  const card = currentCard(input);
  if (speaks === A2A_VERSION) return card;
  return {
    ...card,
    protocolVersion: `${A2A_LEGACY_VERSION}.0`,
    url: `${input.baseUrl}${a2aPath}`,
    preferredTransport: 'JSONRPC',
    supportsAuthenticatedExtendedCard: true,
    securitySchemes: { bearer: { type: 'http', ...bearer, ...card.securitySchemes.bearer } },
    security: [{ bearer: [] }],
  };
};

const bearer = {
  scheme: 'Bearer',
  description: 'An API token with the scope tasks:write or gateway:write; tasks:read only reads.',
};

const currentCard = ({ baseUrl, version, agents = [] }: Omit<CardInput, 'speaks'>) => ({
  name: 'svc',
  description: 'Runs tasks with AI agents, under the approvals and the budgets of its owner.',
  version,
  supportedInterfaces: [A2A_VERSION, A2A_LEGACY_VERSION].map((protocolVersion) => ({
    url: `${baseUrl}${a2aPath}`,
    protocolBinding: 'JSONRPC',
    protocolVersion,
  })),
  capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
  securitySchemes: {
    bearer: { httpAuthSecurityScheme: bearer },
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
