import websocket from '@fastify/websocket';
import Fastify, { type FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { App } from '../core/app.ts';
import { guardRequests } from './access.ts';
import { auditRoutes } from './audit-routes.ts';
import { refuseEncodedBodies } from './body-encoding.ts';
import { connectionLimits } from './connections/connection-limits.ts';
import type { Patience } from './connections/connection.ts';
import { Connections } from './connections/connections.ts';
import { limitProxiedClients } from './connections/limit-proxied-clients.ts';
import { handleErrors } from './error-table.ts';
import { createHttpServer, type ServerTimeouts } from './http-server.ts';
import { registerLive } from './live.ts';
import { answerBelowRoutes, sendError } from './raw-answers.ts';
import { BODY_LIMIT, jsonParser } from './request-body.ts';
import { validate, validateHeaders } from './request-schemas.ts';
import type { ResponseCheck } from './response-check.ts';
import { registerA2a } from './routes/a2a.ts';
import { registerAgents } from './routes/agents.ts';
import { registerSandbox } from './routes/sandbox.ts';
import { registerApprovals } from './routes/approvals.ts';
import { registerAudit } from './routes/audit.ts';
import { registerAuth } from './routes/auth.ts';
import { registerBackups } from './routes/backups.ts';
import { registerChat } from './routes/chat.ts';
import { registerCluster } from './routes/cluster.ts';
import { registerConfig } from './routes/config.ts';
import { registerConversations } from './routes/conversations.ts';
import { registerData } from './routes/data.ts';
import { registerDevices } from './routes/devices.ts';
import { registerDlq } from './routes/dlq.ts';
import { registerDocs } from './routes/docs.ts';
import { registerExperiences } from './routes/experiences.ts';
import { registerGateway } from './routes/gateway.ts';
import { registerGuards } from './routes/guards.ts';
import { registerHealth } from './routes/health.ts';
import { registerInbox } from './routes/inbox.ts';
import { registerInbound } from './routes/inbound.ts';
import { registerIntegrations } from './routes/integrations.ts';
import { registerInvites } from './routes/invites.ts';
import { registerMcp } from './routes/mcp.ts';
import { registerMemory } from './routes/memory.ts';
import { registerNotifications } from './routes/notifications.ts';
import { registerPairing } from './routes/pairing.ts';
import { registerPush } from './routes/push.ts';
import { registerPolicy } from './routes/policy.ts';
import { registerOpenAi } from './routes/openai.ts';
import { registerOAuth } from './routes/oauth.ts';
import { registerPreferences } from './routes/preferences.ts';
import { registerProviders } from './routes/providers.ts';
import { registerQueue } from './routes/queue.ts';
import { registerSchedules } from './routes/schedules.ts';
import { registerSessions } from './routes/sessions.ts';
import { registerKeys } from './routes/keys.ts';
import { registerTasks } from './routes/tasks.ts';
import { registerTokens } from './routes/tokens.ts';
import { registerTools } from './routes/tools.ts';
import { registerUsage } from './routes/usage.ts';
import { registerUsers } from './routes/users.ts';
import { registerWeb } from './routes/web.ts';
import { registerWebhooks } from './routes/webhooks.ts';
import { watchStopping } from './stopping.ts';
import { traceRequests } from './trace-requests.ts';

/** The routes of every resource of the contract. */
const resources = [
  registerA2a,
  registerAgents,
  registerSandbox,
  registerApprovals,
  registerAudit,
  registerAuth,
  registerBackups,
  registerChat,
  registerCluster,
  registerConfig,
  registerConversations,
  registerData,
  registerDevices,
  registerDlq,
  registerExperiences,
  registerGateway,
  registerGuards,
  registerHealth,
  registerInbound,
  registerInbox,
  registerIntegrations,
  registerInvites,
  registerMcp,
  registerMemory,
  registerNotifications,
  registerPairing,
  registerPush,
  registerPolicy,
  registerOAuth,
  registerOpenAi,
  registerPreferences,
  registerProviders,
  registerQueue,
  registerSchedules,
  registerSessions,
  registerKeys,
  registerTasks,
  registerTokens,
  registerTools,
  registerUsage,
  registerUsers,
  registerWebhooks,
];

const timeouts: ServerTimeouts = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 10_000, checkMs: 1000 };
const patience: Patience = { bodySweeps: 10, readSweeps: 60 };

export interface ServerOptions {
  /** Checks responses against the contract, in tests. */
  check?: ResponseCheck;
  /** For tests. */
  timeouts?: Partial<ServerTimeouts>;
}

const noJsonSchemas = (): never => {
  throw new Error('A route has a JSON schema, which svc does not compile');
};

/** Builds the HTTP server of the daemon; it does not listen yet. */
export async function buildServer(
  app: App,
  { check, timeouts: own }: ServerOptions = {},
): Promise<FastifyInstance> {
  // Unique across restarts and cheaper than a random id per request.
  const prefix = `req_${Date.now().toString(36)}`;
  let requests = 0;
  const trustedProxies = app.config.get('server.trustedProxies');
  const times = { ...timeouts, ...own };
  const connections = new Connections({ ...connectionLimits(app.config), sweepMs: times.checkMs, patience });
  const server = Fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    routerOptions: { maxParamLength: 16_384 },
    serverFactory: (handler) => createHttpServer(handler, connections, times),
    genReqId: () => `${prefix}-${(++requests).toString(36)}`,
    frameworkErrors: ({ statusCode = 400 }, _request, reply) => {
      sendError(
        reply.raw,
        statusCode,
        statusCode === 414 ? 'A part of the path is too long' : 'The URL is not valid',
      );
    },
    // Each server that is listened with refuses what is not HTTP itself.
    clientErrorHandler: () => undefined,
    // With its own, a start would load two compilers of JSON schemas; zod validates, and JSON.stringify serializes.
    schemaController: { compilersFactory: { buildValidator: noJsonSchemas, buildSerializer: noJsonSchemas } },
  });
  server.decorate('connections', connections);
  watchStopping(server);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, jsonParser);
  server.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) =>
    httpPart === 'headers' ? validateHeaders(schema) : validate(schema),
  );
  const isWorker = app.config.get('daemon.role') === 'worker';
  handleErrors(server, app.log, { isWorker });
  // Before the guard, so that the plugin closes the connection of a refused upgrade.
  await server.register(websocket, { options: { maxPayload: 4096 } });
  answerBelowRoutes(server);
  limitProxiedClients(server, connections);
  guardRequests(server, app);
  refuseEncodedBodies(server);
  auditRoutes(server, app);
  traceRequests(server, app);
  server.addHook('onResponse', (request, reply, done) => {
    const url = request.guarded?.url ?? request.routeOptions.url ?? 'unknown';
    app.metrics.requests.record(request.method, url, reply.statusCode, reply.elapsedTime);
    done();
  });
  if (isWorker) {
    // The other daemons of its cluster serve the rest.
    registerHealth(server, app, check);
    return server;
  }
  for (const register of resources) register(server, app, check);
  registerDocs(server);
  registerLive(server, app);
  registerWeb(server);
  return server;
}
