import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { JsonRpcMessage } from '../../contract/mcp.ts';
import type { Caller } from '../../core/auth/caller.ts';
import { AppError } from '../../core/errors.ts';
import type { McpServers } from '../../core/mcp-server/mcp-servers.ts';
import { jsonRpcError } from './json-rpc-error.ts';
import type { McpSessions } from './mcp-sessions.ts';

export interface McpRequest {
  caller: Caller;
  headers: Record<string, string | string[] | undefined>;
  message: JsonRpcMessage;
  /** Aborts when the client disconnects or loses access. */
  signal: AbortSignal;
}

/** The headers that the protocol knows; no other one reaches it, credentials least of all. */
const known = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
const sessionHeader = 'mcp-session-id';

/** Answers messages of the Model Context Protocol, each on its own. */
export class McpEndpoint {
  readonly #servers: McpServers;
  readonly #sessions: McpSessions;
  readonly #handler: McpHttpHandler;

  constructor(servers: McpServers, sessions: McpSessions) {
    this.#servers = servers;
    this.#sessions = sessions;
    this.#handler = createMcpHandler(
      ({ authInfo }) => {
        const facts = authInfo?.extra as RequestFacts | undefined;
        if (!facts) throw new Error('a request came without its caller');
        return servers.create(facts.caller, facts.asking);
      },
      {
        // Each answer is a stream, which stays open with comments while a client waits for a task.
        responseMode: 'sse',
      },
    );
  }

  async answer(request: McpRequest): Promise<Response> {
    const { caller, headers, message, signal } = request;
    const session = headers[sessionHeader];
    if (session === undefined) return this.#handle(request, signal);
    if (typeof session !== 'string' || !this.#sessions.isOf(caller, session))
      return Response.json(jsonRpcError('server', 'The session is not known. Initialize again'), {
        status: 404,
      });
    const { id, method } = message;
    if (method === 'notifications/cancelled') {
      const named = message.params?.['requestId'];
      if (typeof named === 'string' || typeof named === 'number') this.#sessions.cancel(session, named);
    }
    if (id === undefined || id === null) return this.#handle(request, signal);
    if (method === undefined) {
      const isTaken = await this.#takeAnswer(caller, session, message);
      return isTaken ?? this.#handle(request, signal);
    }
    const run = this.#sessions.run(session, id);
    signal.addEventListener('abort', run.end, { once: true });
    return onceRead(await this.#handle(request, AbortSignal.any([signal, run.signal])), run.end);
  }

  /** Ends the subscriptions; no message may come after. */
  async close(): Promise<void> {
    this.#sessions.close();
    await this.#handler.close();
  }

  /** The response to an answer of the person at the client; undefined where the message is none. */
  async #takeAnswer(caller: Caller, session: string, message: JsonRpcMessage): Promise<Response | undefined> {
    try {
      const isAnswer = await this.#servers.takeAnswer(caller, session, message);
      return isAnswer ? new Response(undefined, { status: 202 }) : undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return Response.json(jsonRpcError('server', error.message), { status: 400 });
    }
  }

  async #handle({ caller, headers, message }: McpRequest, signal: AbortSignal): Promise<Response> {
    const passed = known.flatMap((name): [string, string][] => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    });
    const request = new Request('http://svc/mcp', { method: 'POST', headers: passed, signal });
    const session = headers[sessionHeader];
    const asking = typeof session === 'string' && this.#sessions.canAsk(session) ? session : undefined;
    const extra = { caller, asking } satisfies RequestFacts;
    const authInfo = { token: '', clientId: caller.userId, scopes: [], extra };
    const response = await this.#handler.fetch(request, { authInfo, parsedBody: message });
    if (message.method === 'initialize' && response.ok)
      response.headers.set(sessionHeader, this.#sessions.create(caller, { canAsk: canAsk(message) }));
    return response;
  }
}

/** What a server has to know of a request. */
interface RequestFacts {
  caller: Caller;
  /** The session of a client that takes questions while a call runs. */
  asking: string | undefined;
}

/** Whether the client that initializes can show its user a form; one that names no mode means forms. */
function canAsk({ params }: JsonRpcMessage): boolean {
  const { elicitation } = { ...(params?.['capabilities'] as { elicitation?: unknown } | undefined) };
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return 'form' in elicitation || !('url' in elicitation);
}

/** Calls back when the body of the response was read or given up. */
function onceRead(response: Response, onEnd: () => void): Response {
  if (!response.body) {
    onEnd();
    return response;
  }
  const { body, status, headers } = response;
  const pieces = async function* () {
    try {
      yield* body;
    } finally {
      onEnd();
    }
  };
  return new Response(ReadableStream.from(pieces()), { status, headers });
}
