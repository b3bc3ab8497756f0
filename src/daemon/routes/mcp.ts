import { z } from 'zod';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type JsonRpcMessage, jsonRpcMessageSchema, mcpRoutes } from '../../contract/mcp.ts';
import { mcpPath } from '../../contract/mcp-path.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import type { App } from '../../core/app.ts';
import { writePieces } from '../byte-stream.ts';
import { signalOfReader } from '../event-stream.ts';
import { jsonRpcError } from '../mcp/json-rpc-error.ts';
import type { McpEndpoint } from '../mcp/mcp-endpoint.ts';
import { bodyLimitOf } from '../request-body.ts';

type McpApp = Pick<App, 'loadMcpServers' | 'accessWatch' | 'keys' | 'runtime' | 'bus'>;

/** Registers the door of the Model Context Protocol, whose errors are those of JSON-RPC. */
export function registerMcp(server: FastifyInstance, app: McpApp): void {
  let loading: Promise<McpEndpoint> | undefined;
  const load = () => (loading ??= loadEndpoint(app));
  server.addHook('preClose', async () => (await loading)?.close());
  void server.register(async (scope) => {
    const { access, scopes } = mcpRoutes.send;
    const bodyLimit = bodyLimitOf(mcpRoutes.send);
    const config = { access, scopes, body: { bodyLimit } };
    scope.route({
      method: 'POST',
      url: mcpPath,
      bodyLimit,
      config,
      // The guard looks at the caller again after the body of a route that has a schema for it.
      schema: { body: z.unknown() },
      handler: async (request, reply) => {
        const { message, problem } = readMessage(request.body);
        if (!message) return reply.code(400).send(jsonRpcError('request', problem));
        const { caller, headers } = request;
        const signal = signalOfReader(app, caller, reply);
        await sendResponse(reply, await (await load()).answer({ caller, headers, message, signal }));
        return reply;
      },
    });
    // Nothing is sent to a client that has not asked for it, and there is no session to end.
    scope.route({
      method: ['GET', 'DELETE'],
      url: mcpPath,
      config,
      handler: (_request, reply) =>
        reply.code(405).header('allow', 'POST').send(jsonRpcError('server', 'Only POST is served here')),
    });
  });
}

async function loadEndpoint({ loadMcpServers, keys, runtime, bus }: McpApp): Promise<McpEndpoint> {
  const [servers, { McpEndpoint }, { McpSessions }] = await Promise.all([
    loadMcpServers(),
    import('../mcp/mcp-endpoint.ts'),
    import('../mcp/mcp-sessions.ts'),
  ]);
  return new McpEndpoint(servers, new McpSessions({ keys, runtime, bus }));
}

/** One message: batches went out of the protocol with revision 2025-06-18, and one could hold thousands of calls. */
function readMessage(body: unknown): { message?: JsonRpcMessage; problem: string } {
  if (body === undefined) return { problem: 'The body is empty' };
  if (Array.isArray(body)) return { problem: 'Batches are not supported' };
  const parsed = safeParse(jsonRpcMessageSchema, body);
  const problem = 'The body is not a message of JSON-RPC 2.0';
  return parsed.success ? { message: parsed.data, problem } : { problem };
}

/** Sends the response as its body becomes available. */
async function sendResponse(reply: FastifyReply, { status, headers, body }: Response): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  // 499 is what a client gets that is no longer there.
  raw.writeHead(status, {
    ...(reply.getHeaders() as Record<string, string>),
    ...Object.fromEntries([...headers].filter(([name]) => name !== 'connection')),
    'cache-control': 'no-store',
  });
  if (body) await writePieces(reply, body);
  else raw.end();
}
