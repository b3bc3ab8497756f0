import type { PresetName } from '../../../../src/contract/agents.ts';
import type { Flags } from '../../../../src/core/config/config.ts';

/** How an agent reaches the scripted model, as its user would set it up. */
export interface AgentSetup {
  /** Settings of svc. */
  flags: (model: string) => Flags;
  /** Files in the home directory of the agent. */
  files: (model: string) => Record<string, string>;
}

const key = 'sk-test-key';
const option = (setting: string) => ['-c', setting];

export const agentSetups: Readonly<Record<PresetName, AgentSetup>> = {
  claude: {
    flags: (model) => ({
      'agents.claude.model': 'm1',
      'agents.claude.env': {
        ANTHROPIC_BASE_URL: model,
        ANTHROPIC_API_KEY: key,
        // Otherwise a model that it does not know has to search for the tools of MCP servers.
        ENABLE_TOOL_SEARCH: 'false',
      },
    }),
    files: () => ({}),
  },
  codex: {
    flags: (model) => ({
      'agents.codex.model': 'gpt-5.5',
      'agents.codex.args': [
        ...option('model_provider=scripted'),
        ...option(
          `model_providers.scripted={name="scripted",base_url="${model}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}`,
        ),
        // Both look for their catalogue at every start.
        ...option('features.apps=false'),
        ...option('features.plugins=false'),
      ],
      'agents.codex.env': { SCRIPTED_KEY: key },
    }),
    files: () => ({}),
  },
  gemini: {
    flags: (model) => ({
      'agents.gemini.model': 'gemini-2.5-flash',
      'agents.gemini.env': { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: model },
    }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
      }),
    }),
  },
  opencode: {
    flags: () => ({
      'agents.opencode.model': 'scripted/m1',
      'agents.opencode.env': { SCRIPTED_KEY: key },
    }),
    files: (model) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        small_model: 'scripted/m1',
        enabled_providers: ['scripted'],
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'scripted',
            options: { baseURL: `${model}/v1`, apiKey: '{env:SCRIPTED_KEY}' },
            models: { m1: { name: 'm1', tool_call: true, limit: { context: 100_000, output: 8000 } } },
          },
        },
      }),
    }),
  },
};
