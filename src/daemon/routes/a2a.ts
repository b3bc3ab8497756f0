import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type A2aRequest, a2aRequestSchema, a2aRoutes } from '../../contract/a2a.ts';
import type { A2aUpdate } from '../../contract/a2a-messages.ts';
import { A2A_VERSION } from '../../contract/a2a-path.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import { A2aError } from '../../core/a2a/a2a-error.ts';
import { agentCard } from '../../core/a2a/agent-card.ts';
import type { App } from '../../core/app.ts';
import { AppError } from '../../core/errors.ts';
import { countGatewayRequest } from '../access.ts';
import { baseUrlOf } from '../base-url.ts';
import { countStream, EventStream, sendEventStream, signalOfReader } from '../event-stream.ts';
import { implement } from '../implement.ts';
import { bodyLimitOf, jsonParser } from '../request-body.ts';
import type { ResponseCheck } from '../response-check.ts';
import { stoppingSignal } from '../stopping.ts';

type A2aApp = Pick<App, 'loadA2a' | 'config' | 'limits' | 'accessWatch' | 'openStreams'>;

const { getCard, call } = a2aRoutes;

/** Registers the door of other agents (A2A), whose errors are those of JSON-RPC. */
export function registerA2a(server: FastifyInstance, app: A2aApp, check?: ResponseCheck): void {
  const stopping = stoppingSignal(server);
  const requireEnabled = () => {
    if (app.config.get('a2a.enabled')) return;
    throw new AppError('not_found', 'Not served. Turn it on: svc config set a2a.enabled true');
  };
  implement(
    server,
    { getCard },
    {
      getCard: (_, { request, reply }) => {
        requireEnabled();
        const card = agentCard({ baseUrl: baseUrlOf(app, request), version: A2A_VERSION });
        const hash = createHash('sha256').update(JSON.stringify(card)).digest('base64url');
        reply.headers({ 'cache-control': 'public, max-age=300', etag: `"${hash.slice(0, 27)}"` });
        return card as { name: string; version: string };
      },
    },
    check,
  );
  void server.register(async (scope) => {
    const bodyLimit = bodyLimitOf(call);
    scope.addContentTypeParser('application/a2a+json', { parseAs: 'buffer' }, jsonParser);
    scope.route({
      method: 'POST',
      url: call.path,
      bodyLimit,
      config: { access: call.access, scopes: call.scopes, tokenLimit: call.tokenLimit, body: { bodyLimit } },
      handler: async (request, reply) => {
        requireEnabled();
        const { caller } = request;
        const signal = AbortSignal.any([stopping, signalOfReader(app, caller, reply)]);
        return answer(app, request, reply, signal);
      },
    });
  });
}

async function answer(
  app: A2aApp,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<unknown> {
  const { caller } = request;
  const { id = null, message } = readRequest(request.body);
  const jsonrpc = '2.0';
  try {
    if (!message) throw new A2aError('invalidRequest');
    if (majorMinor(request.headers['a2a-version']) !== A2A_VERSION) throw new A2aError('versionNotSupported');
    // Loaded with the first request: without other agents, the daemon needs none of it.
    const { findCall } = await import('../a2a/a2a-methods.ts');
    const found = findCall(caller, message.method, message.params);
    if (found.isSubmission && caller.token) await countGatewayRequest(app, caller.token.id);
    if (found.mayWait) countStream(app, caller, reply.raw);
    const service = await app.loadA2a();
    const result = await found.run({ service, signal, baseUrl: baseUrlOf(app, request) });
    if (!isUpdates(result)) return { jsonrpc, id, result };
    const events = (async function* () {
      for await (const update of result) yield { data: { jsonrpc, id, result: update } };
    })();
    return await sendEventStream(reply, new EventStream(events)).then(() => reply);
  } catch (error) {
    const refusal = toA2aError(error);
    if (!refusal) throw error;
    return { jsonrpc, id, error: refusal };
  }
}

/** A failure that the protocol has an error for; others have a status of HTTP. */
function toA2aError(error: unknown): A2aError | undefined {
  if (error instanceof A2aError) return error;
  if (!(error instanceof AppError)) return undefined;
  if (error.code === 'not_found') return new A2aError('taskNotFound');
  if (error.code === 'validation') return new A2aError('invalidParams', error.message, error.details);
  return undefined;
}

/** A request, or what is known of one that is not valid. */
function readRequest(body: unknown): { id?: string | number | null; message?: A2aRequest } {
  const parsed = safeParse(a2aRequestSchema, body);
  if (!parsed.success) return {};
  const { id } = parsed.data;
  // One without an id would get no answer, which no method of the protocol allows.
  return id === undefined || id === null ? {} : { id, message: parsed.data };
}

/** A version without its patch number; an empty one is that of the protocol before there was the header. */
function majorMinor(header: string | string[] | undefined): string {
  const [version = ''] = [header ?? ''].flat();
  return /^(\d+\.\d+)(?:\.\d+)?$/.exec(version.trim())?.[1] ?? '0.3';
}

const isUpdates = (result: unknown): result is AsyncIterable<A2aUpdate> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
