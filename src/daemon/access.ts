import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Access, RateLimit, Route } from '../contract/route.ts';
import type { Scope } from '../contract/scopes.ts';
import type { App } from '../core/app.ts';
import { type Caller, isAdmin } from '../core/auth/caller.ts';
import { AppError } from '../core/errors.ts';
import { addressKey } from '../core/limits/rate-limits.ts';
import { isLoopbackHost } from '../core/outbound/address-rules.ts';
import { addressOf, type CallerServices, findCaller, isForwarded, recallCaller } from './credentials.ts';
import { createHostGate } from './host-gate.ts';
import { securityHeaders } from './security-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route; one without it stops the start. */
    access?: Access;
    scopes?: readonly Scope[] | undefined;
    limit?: RateLimit | undefined;
    tokenLimit?: Route['tokenLimit'];
    crossSite?: true | undefined;
    nulIn?: string | undefined;
    /** Whether a program on this machine may call the route without a credential now. */
    openOnLoopback?: () => boolean;
  }
  interface FastifyRequest {
    caller: Caller;
  }
}

/** What decides whether a request may reach its route. */
export type AccessServices = CallerServices & Pick<App, 'config' | 'limits'>;

const MINUTE = 60_000;
const secretInQuery =
  /[?&](?:token|access_token|api_key|apikey|session|service_session|key|password|secret|authorization)=|[?&][^=&]*=svc_[\w-]{20}/i;

/** Every request passes here before anything else looks at it. */
export function guardRequests(server: FastifyInstance, app: AccessServices): void {
  let port: number | undefined;
  const checkOrigin = createHostGate({
    host: app.config.get('server.host'),
    port: () => (port ??= portOf(server)) ?? app.config.get('server.port'),
    baseUrl: app.config.get('server.baseUrl'),
  });

  server.decorateRequest('caller');
  server.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.access) throw new Error(`${String(method)} ${url} does not say who may call it`);
    if (config.access === 'token' && !config.scopes?.length)
      throw new Error(`${String(method)} ${url} does not say which scopes open it`);
  });
  // A hook with a callback: most requests pass without waiting for anything.
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders);
    try {
      const { access = 'public', limit, crossSite } = request.routeOptions.config;
      checkOrigin(request.raw, crossSite === true);
      if (request.url.includes('?') && secretInQuery.test(request.url))
        throw new AppError('validation', 'A secret does not belong into a URL: send it in a header');
      const isCounted = limit !== undefined || app.config.get('limits.requestsPerMinute') !== undefined;
      const known = isCounted || access === 'public' ? undefined : recallCaller(app, request);
      if (known) admit(request, known);
      else if (isCounted || access !== 'public') {
        checkSlowly(app, request).then(() => done(), done);
        return;
      }
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  });
  server.addHook('onRoute', (route) => {
    const { access = 'public', limit } = route.config ?? {};
    if (limit?.account) {
      const field = limit.account;
      // The account is in the body, which is read after the guard.
      route.preHandler = async (request: FastifyRequest) => {
        const account = String((request.body as Record<string, unknown>)[field]);
        await app.limits.take(`${nameOf(request)} account`, account.toLowerCase(), limit);
      };
    } else if (access !== 'public' && route.schema?.body !== undefined) {
      // A body may take its time, and rights may end meanwhile.
      route.preHandler = (request, _reply, done) => {
        const known = recallCaller(app, request);
        // Looked up with the headers, and neither ended nor changed since.
        if (known && known === request.caller) return done();
        findCaller(app, request)
          .then((caller) => admit(request, caller))
          .then(() => done(), done);
      };
    }
  });
}

/** Looks the caller up and counts the request; strangers are counted before anything is done for them. */
async function checkSlowly(app: AccessServices, request: FastifyRequest): Promise<void> {
  const { access = 'public', limit, tokenLimit } = request.routeOptions.config;
  const address = addressKey(addressOf(request));
  if (access === 'public') return count(app, request, address);
  const caller = await findCaller(app, request);
  if (!caller && isOpenTo(request)) return count(app, request, address);
  admit(request, caller);
  if (access === 'token' && caller?.token) await countGatewayRequest(app, caller.token.id, tokenLimit);
  else await count(app, request, limit ? address : `${caller?.userId} ${address}`);
  // Whoever has a session guesses at one account, from wherever.
  if (limit && caller) await app.limits.take(`${nameOf(request)} user`, caller.userId, limit);
}

/** By the limit of the route, or by the general one where an administrator set it. */
async function count(app: AccessServices, request: FastifyRequest, key: string): Promise<void> {
  const { limit } = request.routeOptions.config;
  const general = app.config.get('limits.requestsPerMinute');
  if (limit) await app.limits.take(nameOf(request), key, limit);
  else if (general !== undefined) await app.limits.take('any', key, { max: general, windowMs: MINUTE });
}

/** The burst first: what it refuses is not counted for the minute. */
async function countGatewayRequest(
  app: AccessServices,
  tokenId: string,
  limit: Route['tokenLimit'] = 'submissions',
): Promise<void> {
  const message = 'Too many requests with this token. Try again later.';
  if (limit === 'polls') {
    const max = app.config.get('gateway.statusRequestsPerMinute');
    return app.limits.take('gateway status', tokenId, { max, windowMs: MINUTE, message });
  }
  const perSecond = app.config.get('gateway.requestsPerSecond');
  const perMinute = app.config.get('gateway.requestsPerMinute');
  await app.limits.take('gateway burst', tokenId, { max: perSecond, windowMs: 1000, message });
  await app.limits.take('gateway', tokenId, { max: perMinute, windowMs: MINUTE, message });
}

function admit(request: FastifyRequest, caller: Caller | undefined): void {
  const { access, scopes } = request.routeOptions.config;
  if (!caller) throw new AppError('unauthenticated', 'Not signed in');
  if (caller.token) {
    if (!scopes) throw new AppError('forbidden', 'An API token does not open this');
    if (!scopes.some((scope) => caller.token?.scopes.includes(scope)))
      throw new AppError('forbidden', `The API token needs the scope ${scopes.join(' or ')}`);
  } else if (access === 'token') {
    throw new AppError('unauthenticated', 'This needs an API token: svc tokens create');
  } else if (access === 'admin' && !isAdmin(caller)) {
    throw new AppError('forbidden', 'Only an administrator may do this');
  }
  request.caller = caller;
}

/** A credential that is not good is not made up for. */
const isOpenTo = (request: FastifyRequest): boolean =>
  request.routeOptions.config.openOnLoopback?.() === true &&
  request.headers.authorization === undefined &&
  isLoopbackHost(request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '') &&
  !isForwarded(request);

/** HEAD does what GET does, so it counts as GET. */
const nameOf = ({ method, routeOptions }: FastifyRequest) =>
  `${method === 'HEAD' ? 'GET' : method} ${routeOptions.url}`;

/** The port once the server listens; asking the system costs more than the rest of the gate. */
function portOf(server: FastifyInstance): number | undefined {
  const address = server.server.address();
  return typeof address === 'object' && address ? address.port : undefined;
}
