import type { PresetName } from '../../../../src/contract/agents.ts';
import { svcMcp } from '../../svc-mcp.ts';

/** How a person adds `svc` to an agent as a server of MCP, and runs a prompt without a terminal. */
export interface McpClientSetup {
  /** Files in its home directory. */
  files: Record<string, string>;
  args: string[];
  env: Record<string, string>;
  /** What is piped in. */
  input?: string;
}

interface Surroundings {
  /** The address of the scripted model. */
  model: string;
  prompt: string;
  /** Where the daemon is, and as whom. */
  url: string;
  token: string;
  /** The home of the command line of svc. */
  home: string;
}

type Setup = (surroundings: Surroundings) => McpClientSetup;
export type McpTransport = 'stdio' | 'http';

const key = 'sk-test-key';
const stdio = ({ url, token, home }: Surroundings) => ({
  ...svcMcp,
  env: { SVC_URL: url, SVC_TOKEN: token, SVC_HOME: home },
});
const bearer = ({ token }: Surroundings) => ({ Authorization: `Bearer ${token}` });

const claude =
  (transport: McpTransport): Setup =>
  (given) => {
    const svc =
      transport === 'stdio'
        ? { type: 'stdio', ...stdio(given) }
        : { type: 'http', url: `${given.url}/mcp`, headers: bearer(given) };
    const config = JSON.stringify({ mcpServers: { svc } });
    return {
      files: {},
      args: [
        '-p',
        given.prompt,
        '--model',
        'm1',
        '--mcp-config',
        config,
        '--strict-mcp-config',
        '--allowedTools',
        'mcp__svc',
      ],
      env: {
        ANTHROPIC_BASE_URL: given.model,
        ANTHROPIC_API_KEY: key,
        // Otherwise a model that it does not know has to search for the tools of MCP servers.
        ENABLE_TOOL_SEARCH: 'false',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    };
  };

const codex =
  (transport: McpTransport): Setup =>
  (given) => {
    const { command, args, env } = stdio(given);
    const server =
      transport === 'stdio'
        ? {
            command: JSON.stringify(command),
            args: JSON.stringify(args),
            env: `{${Object.entries(env)
              .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
              .join(',')}}`,
          }
        : { url: JSON.stringify(`${given.url}/mcp`), bearer_token_env_var: '"SVC_MCP_TOKEN"' };
    const settings = {
      model_provider: 'scripted',
      'model_providers.scripted': `{name="scripted",base_url="${given.model}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}`,
      'features.apps': 'false',
      'features.plugins': 'false',
      ...Object.fromEntries(
        Object.entries(server).map(([name, value]) => [`mcp_servers.svc.${name}`, value]),
      ),
    };
    return {
      files: {},
      args: [
        // A model that it knows has to search for the tools of servers.
        'exec',
        '--skip-git-repo-check',
        '-m',
        'm1',
        '--dangerously-bypass-approvals-and-sandbox',
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        given.prompt,
      ],
      env: { SCRIPTED_KEY: key, SVC_MCP_TOKEN: given.token },
    };
  };

const gemini =
  (transport: McpTransport): Setup =>
  (given) => ({
    files: {
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        mcpServers: {
          svc:
            transport === 'stdio'
              ? { ...stdio(given), trust: true }
              : { httpUrl: `${given.url}/mcp`, headers: bearer(given), trust: true },
        },
      }),
    },
    args: ['--model', 'gemini-2.5-flash', '--yolo', '--skip-trust', '-p', given.prompt],
    env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: given.model },
  });

const opencode =
  (transport: McpTransport): Setup =>
  (given) => {
    const { command, args, env } = stdio(given);
    return {
      files: {
        '.config/opencode/opencode.json': JSON.stringify({
          small_model: 'scripted/m1',
          enabled_providers: ['scripted'],
          mcp: {
            svc:
              transport === 'stdio'
                ? { type: 'local', command: [command, ...args], environment: env, enabled: true }
                : { type: 'remote', url: `${given.url}/mcp`, headers: bearer(given), enabled: true },
          },
          provider: {
            scripted: {
              npm: '@ai-sdk/openai-compatible',
              name: 'scripted',
              options: { baseURL: `${given.model}/v1`, apiKey: '{env:SCRIPTED_KEY}' },
              models: { m1: { name: 'm1', tool_call: true, limit: { context: 100_000, output: 8000 } } },
            },
          },
        }),
      },
      args: ['run', '--model', 'scripted/m1'],
      // It would quote what stands in an argument.
      input: given.prompt,
      env: { SCRIPTED_KEY: key },
    };
  };

export const mcpClientSetups: Readonly<Record<PresetName, (transport: McpTransport) => Setup>> = {
  claude,
  codex,
  gemini,
  opencode,
};
