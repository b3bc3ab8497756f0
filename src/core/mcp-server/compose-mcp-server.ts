import type { Feature } from '../lifecycle.ts';
import type { McpServerDeps, McpServers } from './mcp-servers.ts';

/** What clients of the Model Context Protocol are served with; loaded at their first request. */
export function composeMcpServer(
  deps: McpServerDeps,
): Feature<{ loadMcpServers: () => Promise<McpServers> }> {
  let loading: Promise<McpServers> | undefined;
  const loadMcpServers = () =>
    (loading ??= import('./mcp-servers.ts').then(({ McpServers }) => new McpServers(deps)));
  return { services: { loadMcpServers } };
}
