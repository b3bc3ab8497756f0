import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** Long enough for a kill to fall into it. */
const WORK_MS = 15;

/** An MCP server whose calls leave a trace that no crash of the daemon takes away. */
export interface CountingTools extends AsyncDisposable {
  url: string;
  /** How often each key was asked for. */
  runs: Map<string, number>;
}

/** `onRun` is called before anything is done for the call. */
export async function startCountingTools(onRun: (key: string, runs: number) => void): Promise<CountingTools> {
  const runs: CountingTools['runs'] = new Map();
  const answer = async ({ key }: { key: string }) => {
    const count = (runs.get(key) ?? 0) + 1;
    runs.set(key, count);
    onRun(key, count);
    await delay(WORK_MS);
    return { content: [{ type: 'text' as const, text: `ran ${key}` }] };
  };
  const server = createServer((incoming, response) => {
    void (async () => {
      // There is nothing to listen to between calls, and there are no sessions.
      if (incoming.method !== 'POST') return response.writeHead(405).end();
      const mcp = new McpServer({ name: 'rig', version: '1.0.0' });
      for (const name of ['touch', 'peek'])
        mcp.registerTool(name, { description: name, inputSchema: z.object({ key: z.string() }) }, answer);
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await mcp.connect(transport);
      const answered = await transport.handleRequest(
        new Request(new URL(incoming.url ?? '/', 'http://localhost'), {
          method: 'POST',
          headers: incoming.headers as Record<string, string>,
          body: (await incoming.toArray()).join(''),
        }),
      );
      response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text());
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    runs,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
