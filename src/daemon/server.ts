import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { App } from '../core/app.ts';
import { guardRequests } from './access.ts';
import { answerErrors, ValidationFailure } from './error-table.ts';
import { registerLive } from './live.ts';
import { parseJsonBody } from './request-body.ts';
import type { ResponseCheck } from './response-check.ts';
import { registerAgents } from './routes/agents.ts';
import { registerAuth } from './routes/auth.ts';
import { registerConfig } from './routes/config.ts';
import { registerDlq } from './routes/dlq.ts';
import { registerDocs } from './routes/docs.ts';
import { registerHealth } from './routes/health.ts';
import { registerNotifications } from './routes/notifications.ts';
import { registerQueue } from './routes/queue.ts';
import { registerTasks } from './routes/tasks.ts';

const MIB = 1024 * 1024;

/** Sent with every answer; pages that need more say so themselves. */
const securityHeaders = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

export interface ServerOptions {
  /** Holds answers against the contract; tests pass one. */
  check?: ResponseCheck;
}

/** The whole HTTP side of the daemon; it does not listen yet. */
export async function buildServer(app: App, { check }: ServerOptions = {}): Promise<FastifyInstance> {
  // Unique over restarts, and cheaper than a random id per request.
  const firstHalf = `req_${Date.now().toString(36)}`;
  let requests = 0;
  const server = Fastify({
    bodyLimit: MIB,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 5000 },
    http: { maxHeaderSize: 16_384, headersTimeout: 10_000, requireHostHeader: false },
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
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  server.setValidatorCompiler<z.ZodType>(({ schema }) => (data) => {
    const parsed = schema.safeParse(data);
    return parsed.success ? { value: parsed.data } : { error: new ValidationFailure(parsed.error.issues) };
  });
  answerErrors(server, app.log);
  await server.register(cookie);
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers(securityHeaders);
  });
  guardRequests(server, app);
  server.addHook('onResponse', async (request, reply) => {
    app.metrics.record(
      request.method,
      request.routeOptions.url ?? 'unknown',
      reply.statusCode,
      reply.elapsedTime,
    );
  });
  registerAgents(server, app, check);
  registerAuth(server, app, check);
  registerConfig(server, app, check);
  registerDlq(server, app, check);
  registerDocs(server);
  registerHealth(server, app, check);
  registerNotifications(server, app, check);
  registerQueue(server, app, check);
  registerTasks(server, app, check);
  await registerLive(server, app);
  return server;
}

const badRequest =
  'HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"error":"The request is not valid HTTP"}';
