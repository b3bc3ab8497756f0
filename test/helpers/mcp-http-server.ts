import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { makeMcpServer, type TestMcpEvents } from './mcp-server.ts';

export interface McpHttpServer extends AsyncDisposable {
  url: string;
  /** What arrived: method, headers, and the method of the message. */
  requests: { method: string; headers: IncomingMessage['headers']; asks: string | undefined }[];
  sessions: Map<string, WebStandardStreamableHTTPServerTransport>;
}

type Answer = (request: Request) => Response | undefined | Promise<Response | undefined>;

/** An MCP server over HTTP with sessions; `answer` may answer in its place. */
export async function startMcpHttpServer(
  events: TestMcpEvents = {},
  answer: Answer = () => undefined,
): Promise<McpHttpServer> {
  const sessions: McpHttpServer['sessions'] = new Map();
  const requests: McpHttpServer['requests'] = [];
  const serve = async (request: Request): Promise<Response> => {
    const session = request.headers.get('mcp-session-id');
    const known = session === null ? undefined : sessions.get(session);
    if (known) return known.handleRequest(request);
    if (session !== null) return new Response('no such session', { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await makeMcpServer(events).connect(transport);
    return transport.handleRequest(request);
  };
  const server = createServer((incoming, response) => {
    void (async () => {
      const body = (await incoming.toArray()).join('');
      const asked = body === '' ? undefined : (JSON.parse(body) as { method?: string }).method;
      requests.push({ method: incoming.method ?? '', headers: incoming.headers, asks: asked });
      const request = new Request(new URL(incoming.url ?? '/', 'http://localhost'), {
        method: incoming.method ?? 'GET',
        headers: incoming.headers as Record<string, string>,
        ...(body !== '' && { body }),
      });
      const answered = (await answer(request)) ?? (await serve(request));
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      if (answered.body)
        Readable.fromWeb(answered.body)
          .on('error', () => undefined)
          .pipe(response);
      else response.end();
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    sessions,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
