import { createHash } from 'node:crypto';
import { jsonObjectSchema } from '../../../contract/primitives.ts';
import { defineTool, type Tool, ToolFailure } from '../tool.ts';
import type { McpConnection } from './mcp-connection.ts';
import { McpFailure } from './mcp-failure.ts';
import type { OfferedTool } from './mcp-offer.ts';
import { renderResult } from './mcp-result.ts';
import { withoutSecrets } from './mcp-secrets.ts';

/** The limit of the model vendors. */
const MAX_NAME = 64;
const HASH_LENGTH = 8;

/** Wraps a tool of a server. Only the settings can mark it as read-only: the annotations of the server are untrusted. */
export function mcpTool(connection: McpConnection, offered: OfferedTool): Tool {
  const { name: server, settings, secrets } = connection;
  const isReadOnly = settings.readOnlyTools.includes(offered.name);
  return defineTool({
    name: mcpToolName(server, offered.name),
    description: withoutSecrets(offered.description, secrets.definite),
    input: jsonObjectSchema,
    inputSchema: offered.inputSchema,
    isReadOnly,
    danger: isReadOnly ? 'medium' : 'high',
    server,
    roots: settings.roots,
    plan: (args, context) => ({
      access: {},
      run: async () => {
        const { content, isError } = await callTool(connection, offered, args, context.signal);
        const origin = `The MCP server ${server}`;
        if (!isError) return { content, origin };
        throw content === ''
          ? new ToolFailure('The tool failed without a message')
          : new ToolFailure(content, { origin });
      },
    }),
  });
}

async function callTool(
  connection: McpConnection,
  offered: OfferedTool,
  args: Record<string, unknown>,
  signal: AbortSignal,
) {
  try {
    const result = await connection.call(offered, args, signal);
    return {
      content: withoutSecrets(renderResult(result), connection.secrets.definite),
      isError: result.isError ?? false,
    };
  } catch (error) {
    if (error instanceof McpFailure)
      throw new ToolFailure(`The MCP server ${connection.name} cannot be used: ${error.message}`);
    throw error;
  }
}

/** `mcp__server__tool`, sanitized to what model vendors accept; a changed or shortened name gets a hash to stay unique. */
export function mcpToolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool}`;
  const plain = name.replaceAll(/[^\w-]/g, '_');
  if (plain === name && name.length <= MAX_NAME) return name;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_LENGTH);
  return `${plain.slice(0, MAX_NAME - HASH_LENGTH - 1)}_${hash}`;
}
