import type { TestDaemon } from './daemon.ts';
import { type McpHttpServer, startMcpHttpServer } from './mcp-http-server.ts';

export interface McpRecorder extends AsyncDisposable {
  server: McpHttpServer;
  /** The arguments of the calls that reached it. */
  calls: unknown[];
}

/** An MCP server of the daemon, called `records`, that keeps what reaches it. */
export async function startMcpRecorder({ client }: TestDaemon): Promise<McpRecorder> {
  const calls: unknown[] = [];
  const server = await startMcpHttpServer({}, async (request) => {
    if (request.method !== 'POST') return undefined;
    const asked = (await request.clone().json()) as { method?: string; params?: { arguments?: unknown } };
    if (asked.method === 'tools/call') calls.push(asked.params?.arguments);
    return undefined;
  });
  await client.config.update({
    params: { key: 'tools.mcpServers' },
    body: { value: { records: { url: server.url } } },
  });
  return { server, calls, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
