import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Config } from '../../../../src/core/config/config.ts';
import { SecretBox } from '../../../../src/core/secrets/secret-box.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import type { McpLimits } from '../../../../src/core/tools/mcp/mcp-client.ts';
import { McpServers } from '../../../../src/core/tools/mcp/mcp-servers.ts';
import type { Tool, ToolContext, ToolOutput } from '../../../../src/core/tools/tool.ts';
import { markedProcesses } from '../../../rigs/marked-processes.ts';

const program = fileURLToPath(new URL('../../../helpers/mcp-stdio-server.ts', import.meta.url));

/** The settings of a test server that runs as a program. */
export const stdio = (behaviour: string, more: object = {}) => ({
  command: process.execPath,
  args: [program, behaviour],
  ...more,
});

export const context = (signal = new AbortController().signal): ToolContext => ({
  workspace: '/',
  userId: 'user_ann',
  mode: 'ask',
  mayRunCommands: false,
  isTrusted: true,
  signal,
});

export const run = async (
  tool: Tool | undefined,
  args: object = {},
  signal?: AbortSignal,
): Promise<ToolOutput> => {
  if (!tool) throw new Error('There is no such tool');
  const plan = await tool.plan(args, context(signal));
  return plan.run({ paths: [], mayRead: () => false, isConfined: true });
};

/** MCP servers for these settings, with a clock that the test controls. */
export async function openMcpServers(
  settings: Record<string, object>,
  { limits, env = process.env }: { limits?: McpLimits; env?: NodeJS.ProcessEnv } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'svc-mcp-'));
  const config = new Config({ env: {}, settingsFile: join(directory, 'settings.json') });
  config.useBox(new SecretBox(randomBytes(32)));
  const set = (value: Record<string, object>) => config.set('tools.mcpServers', value);
  await set(settings);
  const installation = `mcp-test-${randomBytes(6).toString('hex')}`;
  let now = 0;
  const servers = new McpServers({
    config,
    env,
    installation,
    runtime: { ...systemRuntime, monotonic: () => now },
    reportBug: (error) => {
      throw error;
    },
    ...(limits && { limits }),
  });
  return {
    servers,
    set,
    config,
    wait: (ms: number) => (now += ms),
    tool: async (name: string) => (await servers.tools()).find((tool) => tool.name === name),
    processes: () => markedProcesses((mark) => mark.startsWith(`${installation}/`)),
    async [Symbol.asyncDispose]() {
      await servers.close();
      rmSync(directory, { recursive: true });
    },
  };
}
