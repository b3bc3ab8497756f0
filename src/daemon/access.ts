import { parseCookie, stringifySetCookie } from 'cookie';
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
import { securityHeaders } from './security-headers.ts';

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
  // A hook with a callback: most requests pass without waiting for anything.
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders);
    try {
      checkOrigin(request.raw);
      if (request.url.includes('?') && secretInQuery.test(request.url))
        throw new AppError('validation', 'A secret does not belong into a URL: send it in a header');
      const { access = 'public', limit } = request.routeOptions.config;
      const known = limit || access === 'public' ? undefined : recallCaller(app, request);
      if (known) admit(request, access, known);
      else if (limit || access !== 'public') {
        checkSlowly(app, limits, request, reply).then(() => done(), done);
        return;
      }
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  });
}

/** Counts limited requests and looks the caller up. */
async function checkSlowly(
  app: App,
  limits: RateLimits,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { access = 'public', limit } = request.routeOptions.config;
  if (limit) await limits.take(`${request.method} ${request.routeOptions.url}`, limit, request.ip, reply);
  if (access !== 'public') admit(request, access, await findCaller(app, request));
}

function admit(request: FastifyRequest, access: Access, caller: Caller | undefined): void {
  if (!caller) throw new AppError('unauthenticated', 'Not signed in');
  if (access === 'admin' && !isAdmin(caller))
    throw new AppError('forbidden', 'Only an administrator may do this');
  request.caller = caller;
}

/** Who makes the request: by the session in the cookie, or the owner where no access key is required. */
export async function findCaller(app: App, request: FastifyRequest): Promise<Caller | undefined> {
  const token = sessionToken(request);
  const caller = token === undefined ? undefined : await app.sessions.resolve(token);
  if (caller) return caller;
  return app.isLoopback && !app.accessKey.isRequired ? owner : undefined;
}

function recallCaller(app: App, request: FastifyRequest): Caller | undefined {
  const token = sessionToken(request);
  return token === undefined ? undefined : app.sessions.recall(token);
}

const sessionToken = ({ headers }: FastifyRequest) =>
  headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[sessionCookie];

export function setSessionCookie(app: App, reply: FastifyReply, { token }: NewSession): void {
  sendCookie(app, reply, token, SESSION_SECONDS);
}

export function clearSessionCookie(app: App, reply: FastifyReply): void {
  sendCookie(app, reply, '', 0);
}

function sendCookie(app: App, reply: FastifyReply, value: string, maxAge: number): void {
  const secure = app.config.get('server.baseUrl')?.startsWith('https:') ?? false;
  reply.header(
    'set-cookie',
    stringifySetCookie({
      name: sessionCookie,
      value,
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      maxAge,
      secure,
    }),
  );
}

/** The port once the server listens; asking the system costs more than the rest of the gate. */
function portOf(server: FastifyInstance): number | undefined {
  const address = server.server.address();
  return typeof address === 'object' && address ? address.port : undefined;
}
