import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookie } from '../contract/locations.ts';
import type { Access, RateLimit } from '../contract/route.ts';
import type { App } from '../core/app.ts';
import { type Caller, isAdmin } from '../core/auth/caller.ts';
import { owner } from '../core/auth/owner-service.ts';
import type { NewSession } from '../core/auth/session-service.ts';
import { AppError } from '../core/errors.ts';
import { createHostGate } from './host-gate.ts';
import { RateLimits } from './rate-limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route; one without it stops the start. */
    access?: Access;
    limit?: RateLimit | undefined;
  }
  interface FastifyRequest {
    caller: Caller;
  }
}

const SESSION_SECONDS = 30 * 86_400;
const secretInQuery = /[?&](?:token|access_token|api_key|session|key)=/i;

/** Every request passes here before anything else looks at it. */
export function guardRequests(server: FastifyInstance, app: App): void {
  let port: number | undefined;
  const checkOrigin = createHostGate({
    host: app.config.get('server.host'),
    port: () => (port ??= portOf(server)) ?? app.config.get('server.port'),
    baseUrl: app.config.get('server.baseUrl'),
  });
  const limits = new RateLimits();

  server.decorateRequest('caller');
  server.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.access) throw new Error(`${String(method)} ${url} does not say who may call it`);
  });
  server.addHook('onRequest', async (request, reply) => {
    checkOrigin(request.raw);
    if (secretInQuery.test(request.url))
      throw new AppError('validation', 'A secret does not belong into a URL: send it in a header');
    const { access, limit } = request.routeOptions.config;
    if (limit) await limits.take(`${request.method} ${request.routeOptions.url}`, limit, request.ip, reply);
    if (access === undefined || access === 'public') return;
    const caller = await findCaller(app, request);
    if (!caller) throw new AppError('unauthenticated', 'Not signed in');
    if (access === 'admin' && !isAdmin(caller))
      throw new AppError('forbidden', 'Only an administrator may do this');
    request.caller = caller;
  });
}

/** Who makes the request: by the session in the cookie, or the owner where no access key is required. */
export async function findCaller(app: App, request: FastifyRequest): Promise<Caller | undefined> {
  const token = request.cookies[sessionCookie];
  const caller = token === undefined || token === '' ? undefined : await app.sessions.resolve(token);
  if (caller) return caller;
  return app.isLoopback && !app.accessKey.isRequired ? owner : undefined;
}

export function setSessionCookie(app: App, reply: FastifyReply, { token }: NewSession): void {
  reply.setCookie(sessionCookie, token, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    maxAge: SESSION_SECONDS,
    secure: app.config.get('server.baseUrl')?.startsWith('https:') ?? false,
  });
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.clearCookie(sessionCookie, { path: '/' });
}

/** The port once the server listens; asking the system costs more than the rest of the gate. */
function portOf(server: FastifyInstance): number | undefined {
  const address = server.server.address();
  return typeof address === 'object' && address ? address.port : undefined;
}
