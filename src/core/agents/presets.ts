import { type PresetName, presetNames } from '../../contract/agents.ts';
import { claudeArgv } from './drivers/claude/claude-argv.ts';
import { codexArgv } from './drivers/codex/codex-argv.ts';
import { geminiFiles, geminiStart } from './drivers/acp/gemini-start.ts';
import type { CallKind, CreateDriver, SessionOrder } from './drivers/driver.ts';

/** The protocols that svc speaks with agents. */
export type DriverName = 'claude' | 'codex' | 'acp';

/** Loaded at the first run, so that an idle daemon does not pay for them. */
export const drivers: Record<DriverName, () => Promise<CreateDriver>> = {
  claude: async () => (await import('./drivers/claude/claude-driver.ts')).createClaudeDriver,
  codex: async () => (await import('./drivers/codex/codex-driver.ts')).createCodexDriver,
  acp: async () => (await import('./drivers/acp/acp-driver.ts')).createAcpDriver,
};

export interface Start {
  argv: string[];
  /** Added to the environment, so that no secret is in the arguments. */
  env: Record<string, string>;
}

/** An agent that people install and log in to themselves, as svc knows it. */
export interface AgentPreset {
  /** As its maker calls it. */
  title: string;
  driver: DriverName;
  program: string;
  start(order: SessionOrder): Start;
  /** Texts of files that its start refers to, by name. */
  files?: Readonly<Record<string, string>>;
  /** Fixed for every run: no updates and no retries of its own. */
  env: Record<string, string>;
  /** Variables of the daemon that say where its login and its settings are. */
  passes: readonly string[];
  versions: {
    /** The oldest that svc drives. */
    min: string;
    /** The newest that svc was tried with. */
    tested: string;
  };
  login: {
    /** In the home directory; one of them is enough. */
    files: readonly string[];
    /** Variables that log in as well. */
    variables: readonly string[];
    /** For people. */
    how: string;
  };
  install: string;
  /** What it writes in the home directory. */
  state: readonly string[];
  /** Files in the home directory that say which programs it runs; inside the sandbox it cannot change them. */
  settings: readonly string[];
  /** False if the settings by which it runs keep it from reading the instructions of a project: then svc hands them over. */
  readsInstructions?: false;
  /** The mode of the protocol in which it asks. */
  mode?: string;
  /** The kinds of calls that it never makes unasked, whatever the settings of its user say; none unless set. */
  asksFor?: readonly CallKind[];
  /** Tags; a task whose labels match more of them gets this agent. */
  capabilities: readonly string[];
}

/** With less than everything, tools of MCP servers of opencode run without a question. */
const asking = { '*': 'ask' };
const changing = ['shell', 'edit', 'mcp'] as const;

export const presets: Record<PresetName, AgentPreset> = {
  claude: {
    title: 'Claude Code',
    driver: 'claude',
    program: 'claude',
    start: claudeArgv,
    env: {
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
      // Reads the CLAUDE.md of the directory that the arguments add.
      CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
    },
    passes: ['CLAUDE_CONFIG_DIR'],
    versions: { min: '2.0.0', tested: '2.1.330' },
    login: {
      // On a Mac the login itself is in the keychain; elsewhere the second file changes with every start.
      files: [process.platform === 'darwin' ? '.claude.json' : '.claude/.credentials.json'],
      variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
      how: 'run `claude` once and log in',
    },
    install: 'npm install -g @anthropic-ai/claude-code',
    state: ['.claude', '.cache/claude', '.local/state/claude'],
    settings: ['.claude.json', '.claude/settings.json'],
    asksFor: changing,
    capabilities: ['claude', 'code', 'files'],
  },
  codex: {
    title: 'Codex',
    driver: 'codex',
    program: 'codex',
    start: codexArgv,
    env: {},
    readsInstructions: false,
    passes: ['CODEX_HOME'],
    versions: { min: '0.150.0', tested: '0.169.0' },
    login: {
      files: ['.codex/auth.json'],
      variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
      how: 'run `codex login`',
    },
    install: 'npm install -g @openai/codex',
    state: ['.codex'],
    settings: ['.codex/config.toml'],
    capabilities: ['codex', 'code', 'files'],
  },
  gemini: {
    title: 'Gemini CLI',
    driver: 'acp',
    program: 'gemini',
    start: geminiStart,
    files: geminiFiles,
    env: {
      GEMINI_CLI_NO_RELAUNCH: 'true',
      // In a trusted folder it would start the MCP servers of the project and read its .env.
      GEMINI_CLI_TRUST_WORKSPACE: 'false',
    },
    readsInstructions: false,
    passes: [
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_CLOUD_LOCATION',
      'GOOGLE_GENAI_USE_VERTEXAI',
      'GOOGLE_GENAI_USE_GCA',
    ],
    versions: { min: '0.50.0', tested: '0.61.0' },
    login: {
      files: ['.gemini/oauth_creds.json'],
      variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
      how: 'run `gemini` once and log in',
    },
    install: 'npm install -g @google/gemini-cli',
    state: ['.gemini'],
    settings: ['.gemini/settings.json'],
    mode: 'default',
    capabilities: ['gemini', 'code', 'files'],
  },
  opencode: {
    title: 'opencode',
    driver: 'acp',
    program: 'opencode',
    start: ({ model }) => ({
      argv: ['acp'],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          autoupdate: false,
          share: 'disabled',
          permission: asking,
          agent: Object.fromEntries(
            ['build', 'plan', 'general'].map((name) => [name, { permission: asking }]),
          ),
          ...(model !== undefined && { model }),
        }),
      },
    }),
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      // A project could allow calls, and name programs and plugins that run unasked.
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    },
    readsInstructions: false,
    passes: ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'],
    versions: { min: '1.1.0', tested: '1.18.33' },
    login: {
      files: ['.local/share/opencode/auth.json'],
      variables: [],
      how: 'run `opencode auth login`',
    },
    install: 'npm install -g opencode-ai',
    state: ['.local/share/opencode', '.local/state/opencode', '.config/opencode', '.cache/opencode'],
    settings: ['.config/opencode/opencode.json'],
    asksFor: changing,
    capabilities: ['opencode', 'code', 'files'],
  },
};

/** Any other agent of the Agent Client Protocol. */
export const acpAgent = (name: string): AgentPreset => ({
  title: name,
  driver: 'acp',
  program: name,
  start: () => ({ argv: [], env: {} }),
  env: {},
  passes: ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'],
  versions: { min: '0', tested: '' },
  login: { files: [], variables: [], how: 'log in with its own program' },
  install: '',
  state: [],
  settings: [],
  capabilities: [name],
});

export const presetOf = (name: string): AgentPreset =>
  (presetNames as readonly string[]).includes(name) ? presets[name as PresetName] : acpAgent(name);
