import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify';
import { mayLimitedDevice } from '../contract/limited-devices.ts';
import type { Access, RateLimit, Route } from '../contract/route.ts';
import type { Scope } from '../contract/scopes.ts';
import type { App } from '../core/app.ts';
import { type Caller, isAdmin } from '../core/auth/caller.ts';
import { AppError } from '../core/errors.ts';
import { addressKey } from '../core/limits/rate-limits.ts';
import { isLoopbackHost } from '../core/text/loopback-host.ts';
import { addressOf, type CallerServices, findCaller, isForwarded, recallCaller } from './credentials.ts';
import { version } from '../core/version.ts';
import { versionHeader } from '../contract/locations.ts';
import { createHostGate } from './host-gate.ts';
import type { BodyOptions } from './request-body.ts';
import { routeName } from './route-name.ts';
import { securityHeaders } from './security-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route; the server refuses to start with a route without it. */
    access?: Access;
    scopes?: readonly Scope[] | undefined;
    limit?: RateLimit | undefined;
    tokenLimit?: Route['tokenLimit'];
    crossSite?: true | undefined;
    body?: BodyOptions;
    /** Whether programs on this machine may call the route without a credential. */
    openOnLoopback?: () => boolean;
  }
  interface FastifyRequest {
    caller: Caller;
    /** The route, once the guard has the request. */
    guarded: GuardedRoute | undefined;
  }
}

/** The services that decide whether a request may reach its route. */
export type AccessServices = CallerServices & Pick<App, 'config' | 'limits' | 'knownClients' | 'users'>;

/** What the guard has to know of a route, read once: Fastify builds the options of a route at each look. */
export interface GuardedRoute {
  name: string;
  url: string;
  access: Access;
  scopes: readonly Scope[] | undefined;
  limit: RateLimit | undefined;
  tokenLimit: Route['tokenLimit'];
  isCrossSite: boolean;
  openOnLoopback: (() => boolean) | undefined;
  body: BodyOptions | undefined;
}

const MINUTE = 60_000;
const secretInQuery =
  /[?&](?:token|access_token|api_key|apikey|session|service_session|key|password|secret|authorization)=|=svc_[\w-]{20}/i;

/** Registers the guard that every request passes first. */
export function guardRequests(server: FastifyInstance, app: AccessServices): void {
  let port: number | undefined;
  const checkOrigin = createHostGate({
    host: app.config.get('server.host'),
    port: () => (port ??= portOf(server)) ?? app.config.get('server.port'),
    baseUrl: app.config.get('server.baseUrl'),
  });

  server.decorateRequest('caller');
  server.decorateRequest('guarded');
  server.decorateRequest('credential');
  // A hook with a callback, because most requests pass synchronously.
  const guard =
    (route: GuardedRoute): onRequestHookHandler =>
    (request, reply, done) => {
      request.guarded = route;
      reply.headers(securityHeaders);
      try {
        checkOrigin(request.raw, route.isCrossSite);
        const { url } = request.raw;
        if (url?.includes('?') && secretInQuery.test(url))
          throw new AppError('validation', 'Secrets are not allowed in a URL. Send them in a header.');
        // A route for tokens alone counts the requests of each.
        const isCounted =
          route.access === 'token' ||
          route.limit !== undefined ||
          app.config.get('limits.requestsPerMinute') !== undefined;
        const known = isCounted || route.access === 'public' ? undefined : recallCaller(app, request);
        if (known) {
          admit(request, known, route);
          tellVersion(request, reply);
        } else if (isCounted || route.access !== 'public') {
          checkAsync(app, request, route)
            .then(() => tellVersion(request, reply))
            .then(() => done(), done);
          return;
        }
      } catch (error) {
        done(error as Error);
        return;
      }
      done();
    };
  const guardUnknown = guard(guardedRoute('* unknown', 'unknown', {}));
  server.addHook('onRequest', function (request, reply, done) {
    if (request.is404) guardUnknown.call(this, request, reply, done);
    else done();
  });
  server.addHook('onRoute', (options) => {
    const { method, url, config } = options;
    if (!config?.access) throw new Error(`${String(method)} ${url} has no access level`);
    if (config.access === 'token' && !config.scopes?.length)
      throw new Error(`${String(method)} ${url} has no scopes`);
    const route = guardedRoute(routeName(options), url, config);
    options.onRequest = [guard(route), ...[options.onRequest ?? []].flat()];
    const { access, limit } = route;
    if (limit?.account) {
      const field = limit.account;
      // The account is in the body, which is read after the guard.
      options.preHandler = async (request: FastifyRequest) => {
        const account = String((request.body as Record<string, unknown>)[field]);
        await app.limits.take(`${route.name} account`, await accountKey(app, request, account), limit);
      };
    } else if (access !== 'public' && options.schema?.body !== undefined) {
      // A slow body may outlast the rights of its caller.
      options.preHandler = (request, _reply, done) => {
        const known = recallCaller(app, request);
        // Resolved with the headers, and unchanged since.
        if (known && known === request.caller) return done();
        findCaller(app, request)
          .then((caller) => admit(request, caller, route))
          .then(() => done(), done);
      };
    }
  });
}

/** Attempts from an address where the user has signed in are counted apart from those of unknown clients. */
async function accountKey(app: AccessServices, request: FastifyRequest, account: string): Promise<string> {
  const name = account.trim().toLowerCase();
  const address = addressOf(request);
  if (!app.knownClients.isKnown(address)) return name;
  const user = await app.users.findByEmail(name);
  return user && app.knownClients.isKnown(address, user.id) ? `${name} ${addressKey(address)}` : name;
}

/** Resolves the caller and counts the request; unauthenticated requests are counted before any other work. */
async function checkAsync(app: AccessServices, request: FastifyRequest, route: GuardedRoute): Promise<void> {
  const { access, limit, tokenLimit } = route;
  const address = addressKey(addressOf(request));
  if (access === 'public') return count(app, route, address);
  const caller = await findCaller(app, request);
  if (!caller && isOpenTo(request, route)) return count(app, route, address);
  admit(request, caller, route);
  if (access === 'token' && caller?.token) await countGatewayRequest(app, caller.token.id, tokenLimit);
  else await count(app, route, limit ? address : `${caller?.userId} ${address}`);
  // A signed-in caller can only guess for one account, so it is counted from all addresses together.
  if (limit && caller) await app.limits.take(`${route.name} user`, caller.userId, limit);
}

/** Counts by the limit of the route, else by the general one where it is set. */
async function count(
  app: AccessServices,
  { name, limit }: Pick<GuardedRoute, 'name' | 'limit'>,
  key: string,
): Promise<void> {
  const general = app.config.get('limits.requestsPerMinute');
  if (limit) await app.limits.take(name, key, limit);
  else if (general !== undefined) await app.limits.take('any', key, { max: general, windowMs: MINUTE });
}

/** Counts a request of a token. Checks the burst limit first, so that refused requests do not count for the minute. */
export async function countGatewayRequest(
  app: Pick<AccessServices, 'config' | 'limits'>,
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

function admit(
  request: FastifyRequest,
  caller: Caller | undefined,
  { url, access, scopes }: Pick<GuardedRoute, 'url' | 'access' | 'scopes'>,
): void {
  if (!caller) throw new AppError('unauthenticated', 'Not signed in');
  if (caller.isLimited && !mayLimitedDevice(request.method, url))
    throw new AppError(
      'forbidden',
      'This device may only look, decide on approvals and cancel tasks. Use another device for this.',
    );
  if (caller.token) {
    if (!scopes) throw new AppError('forbidden', 'API tokens cannot access this route');
    if (!scopes.some((scope) => caller.token?.scopes.includes(scope)))
      throw new AppError('forbidden', `The API token needs the scope ${scopes.join(' or ')}`);
  } else if (access === 'token') {
    throw new AppError('unauthenticated', 'This route needs an API token: svc tokens create');
  } else if (access === 'admin' && !isAdmin(caller)) {
    throw new AppError('forbidden', 'Only an administrator may do this');
  }
  request.caller = caller;
}

/** Which version runs is for callers that were let in only. */
function tellVersion(request: FastifyRequest, reply: FastifyReply): void {
  const caller: Caller | undefined = request.caller;
  if (caller) reply.header(versionHeader, version);
}

/** An invalid credential is refused even where none is needed. */
const isOpenTo = (request: FastifyRequest, { openOnLoopback }: GuardedRoute): boolean =>
  openOnLoopback?.() === true &&
  request.headers.authorization === undefined &&
  isLoopbackHost(request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '') &&
  !isForwarded(request);

const guardedRoute = (
  name: string,
  url: string,
  { access = 'public', scopes, limit, tokenLimit, crossSite, openOnLoopback, body }: FastifyContextConfig,
): GuardedRoute => ({
  name,
  url,
  access,
  scopes,
  limit,
  tokenLimit,
  isCrossSite: crossSite === true,
  openOnLoopback,
  body,
});

/** The port once the server listens; cached by the caller, because the lookup is slow. */
function portOf(server: FastifyInstance): number | undefined {
  const address = server.server.address();
  return typeof address === 'object' && address ? address.port : undefined;
}
