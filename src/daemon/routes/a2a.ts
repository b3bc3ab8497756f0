import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type A2aRequest, a2aRequestSchema, a2aRoutes } from '../../contract/a2a.ts';
import { A2A_LEGACY_VERSION, A2A_VERSION, type A2aVersion } from '../../contract/a2a-path.ts';
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
const served: readonly A2aVersion[] = [A2A_VERSION, A2A_LEGACY_VERSION];

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
        const speaks = versionOf(request) ?? A2A_LEGACY_VERSION;
        const card = agentCard({ baseUrl: baseUrlOf(app, request), version: A2A_VERSION, speaks });
        const hash = createHash('sha256').update(JSON.stringify(card)).digest('base64url');
        reply.headers({
          'cache-control': 'public, max-age=300',
          vary: 'A2A-Version',
          etag: `"${hash.slice(0, 27)}"`,
        });
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
    const version = versionOf(request);
    if (version === undefined) throw new A2aError('versionNotSupported');
    const { find, isUpdates } = await loadMethods(version);
    const found = find(caller, message.method, message.params);
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

/** Loaded with the first request: without other agents, the daemon needs none of it. */
async function loadMethods(version: A2aVersion) {
  const { findCall, isUpdates } = await import('../a2a/a2a-methods.ts');
  if (version === A2A_VERSION) return { find: findCall, isUpdates };
  const { findLegacyCall } = await import('../a2a/legacy-methods.ts');
  return { find: findLegacyCall, isUpdates };
}

/** The version that a request names, whatever its patch number; none means that of the protocol before there was the header. */
function versionOf({ headers }: FastifyRequest): A2aVersion | undefined {
  const [named = ''] = [headers['a2a-version'] ?? ''].flat();
  const version = named.trim() || A2A_LEGACY_VERSION;
  const majorMinor = /^(\d+\.\d+)(?:\.\d+)?$/.exec(version)?.[1];
  return served.find((each) => each === majorMinor);
}
