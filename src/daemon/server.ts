import type { IncomingMessage } from 'node:http';
import websocket from '@fastify/websocket';
import Fastify, { type FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { livePath } from '../contract/live.ts';
import type { App } from '../core/app.ts';
import { guardRequests } from './access.ts';
import { answerErrors, ValidationFailure } from './error-table.ts';
import { registerLive } from './live.ts';
import { parseJsonBody } from './request-body.ts';
import type { ResponseCheck } from './response-check.ts';
import { securityHeaders } from './security-headers.ts';
import { registerAgents } from './routes/agents.ts';
import { registerApprovals } from './routes/approvals.ts';
import { registerAudit } from './routes/audit.ts';
import { registerAuth } from './routes/auth.ts';
import { registerChat } from './routes/chat.ts';
import { registerConfig } from './routes/config.ts';
import { registerConversations } from './routes/conversations.ts';
import { registerDevices } from './routes/devices.ts';
import { registerDlq } from './routes/dlq.ts';
import { registerDocs } from './routes/docs.ts';
import { registerExperiences } from './routes/experiences.ts';
import { registerGateway } from './routes/gateway.ts';
import { registerGuards } from './routes/guards.ts';
import { registerHealth } from './routes/health.ts';
import { registerInbound } from './routes/inbound.ts';
import { registerIntegrations } from './routes/integrations.ts';
import { registerInvites } from './routes/invites.ts';
import { registerLanding } from './routes/landing.ts';
import { registerMemory } from './routes/memory.ts';
import { registerNotifications } from './routes/notifications.ts';
import { registerPairing } from './routes/pairing.ts';
import { registerPolicy } from './routes/policy.ts';
import { registerOAuth } from './routes/oauth.ts';
import { registerPreferences } from './routes/preferences.ts';
import { registerProviders } from './routes/providers.ts';
import { registerQueue } from './routes/queue.ts';
import { registerSchedules } from './routes/schedules.ts';
import { registerSessions } from './routes/sessions.ts';
import { registerTasks } from './routes/tasks.ts';
import { registerTokens } from './routes/tokens.ts';
import { registerTools } from './routes/tools.ts';
import { registerUsers } from './routes/users.ts';
import { registerWebhooks } from './routes/webhooks.ts';

/** The routes of every resource of the contract. */
const resources = [
  registerAgents,
  registerApprovals,
  registerAudit,
  registerAuth,
  registerChat,
  registerConfig,
  registerConversations,
  registerDevices,
  registerDlq,
  registerExperiences,
  registerGateway,
  registerGuards,
  registerHealth,
  registerInbound,
  registerIntegrations,
  registerInvites,
  registerMemory,
  registerNotifications,
  registerPairing,
  registerPolicy,
  registerOAuth,
  registerPreferences,
  registerProviders,
  registerQueue,
  registerSchedules,
  registerSessions,
  registerTasks,
  registerTokens,
  registerTools,
  registerUsers,
  registerWebhooks,
];

const MIB = 1024 * 1024;

export interface ServerOptions {
  /** Holds answers against the contract; tests pass one. */
  check?: ResponseCheck;
}

/** The whole HTTP side of the daemon; it does not listen yet. */
export async function buildServer(app: App, { check }: ServerOptions = {}): Promise<FastifyInstance> {
  // Unique over restarts, and cheaper than a random id per request.
  const firstHalf = `req_${Date.now().toString(36)}`;
  let requests = 0;
  const trustedProxies = app.config.get('server.trustedProxies');
  const server = Fastify({
    bodyLimit: MIB,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    requestTimeout: 30_000,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    routerOptions: { maxParamLength: 16_384 },
    http: {
      maxHeaderSize: 16_384,
      headersTimeout: 10_000,
      requireHostHeader: false,
      shouldUpgradeCallback: isLiveUpgrade,
    },
    genReqId: () => `${firstHalf}-${(++requests).toString(36)}`,
    frameworkErrors: ({ statusCode = 400 }, _request, reply) => {
      reply.raw.writeHead(statusCode, { ...securityHeaders, 'content-type': 'application/json' }).end(
        JSON.stringify({
          error: statusCode === 414 ? 'A part of the path is too long' : 'The URL is not valid',
        }),
      );
    },
    clientErrorHandler: (_error, socket) => {
      if (socket.writable) socket.end(badRequest);
    },
  });
  server.server.maxConnections = 1024;
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer, request.routeOptions.config.nulIn));
    } catch (error) {
      done(error as Error);
    }
  });
  server.setValidatorCompiler<z.ZodType>(({ schema }) => (data) => {
    // A body that is not there comes as null.
    const parsed = schema.safeParse(data ?? undefined);
    return parsed.success ? { value: parsed.data } : { error: new ValidationFailure(parsed.error.issues) };
  });
  answerErrors(server, app.log);
  // Before the guard: only then does the plugin know an upgrade that the guard refuses, and close its connection.
  await server.register(websocket, { options: { maxPayload: 4096 } });
  guardRequests(server, app);
  server.addHook('onResponse', (request, reply, done) => {
    const { url = 'unknown' } = request.routeOptions;
    app.metrics.requests.record(request.method, url, reply.statusCode, reply.elapsedTime);
    done();
  });
  for (const register of resources) register(server, app, check);
  registerDocs(server);
  registerLanding(server);
  registerLive(server, app);
  return server;
}

/** An upgrade to anything else is a request like any other (RFC 9110, section 7.8). */
const isLiveUpgrade = ({ headers, url = '' }: IncomingMessage) =>
  headers.upgrade?.toLowerCase() === 'websocket' && url.split('?')[0] === livePath;

const badRequest =
  'HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"error":"The request is not valid HTTP"}';
