import { isIP } from 'node:net';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookie } from '../contract/locations.ts';
import { tokenPrefix } from '../contract/scopes.ts';
import type { App } from '../core/app.ts';
import type { Caller } from '../core/auth/caller.ts';
import { owner } from '../core/auth/owner.ts';
import type { ClientInfo, NewSession } from '../core/auth/session-service.ts';

const SESSION_SECONDS = 30 * 86_400;

declare module 'fastify' {
  interface FastifyRequest {
    /** Read from the headers once, null where there is none. */
    credential: Credential | null | undefined;
  }
}

/** The credential of a request. */
type Credential = { kind: 'session' | 'token' | 'invalid'; text: string };

/** The services that resolve the caller of a request. */
export type CallerServices = Pick<App, 'sessions' | 'tokens' | 'accessKey'>;

/**
 * Resolves the caller from the session in the cookie or the Authorization header, from an API token, or as the owner
 * where no access key is required. An invalid credential is never replaced by another one.
 */
export async function findCaller(app: CallerServices, request: FastifyRequest): Promise<Caller | undefined> {
  const credential = credentialOf(request);
  if (credential?.kind === 'token') return app.tokens.resolve(credential.text);
  const caller = credential?.kind === 'session' ? await app.sessions.resolve(credential.text) : undefined;
  if (caller || request.headers.authorization !== undefined) return caller;
  return app.accessKey.isOpen && !isForwarded(request) ? owner : undefined;
}

/** The caller of a session or an API token that is still in the cache. */
export function recallCaller(
  app: Pick<App, 'sessions' | 'tokens'>,
  request: FastifyRequest,
): Caller | undefined {
  const credential = credentialOf(request);
  if (credential?.kind === 'token') return app.tokens.recall(credential.text);
  return credential?.kind === 'session' ? app.sessions.recall(credential.text) : undefined;
}

function credentialOf(request: FastifyRequest): Credential | undefined {
  if (request.credential === undefined) request.credential = readCredential(request.headers) ?? null;
  return request.credential ?? undefined;
}

function readCredential({ authorization, cookie }: FastifyRequest['headers']): Credential | undefined {
  if (authorization !== undefined) {
    const [, text] = /^Bearer +([\w-]{1,200})$/i.exec(authorization) ?? [];
    if (text === undefined) return { kind: 'invalid', text: '' };
    return { kind: text.startsWith(tokenPrefix) ? 'token' : 'session', text };
  }
  if (cookie === undefined) return undefined;
  const text = parseCookie(cookie)[sessionCookie];
  if (text === undefined) return undefined;
  // With two session cookies one was injected, and it is unknown which.
  return { kind: hasTwoSessions(cookie) ? 'invalid' : 'session', text };
}

function hasTwoSessions(cookie: string): boolean {
  const first = cookie.indexOf(sessionCookie);
  return cookie.includes(sessionCookie, first + 1) && cookie.split(`${sessionCookie}=`).length > 2;
}

/** Whether a proxy forwarded the request. */
export const isForwarded = ({ headers }: FastifyRequest): boolean =>
  ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host'].some((name) => name in headers);

/** The address of the client; an invalid one from a proxy is ignored. */
export const addressOf = ({ ip, socket }: FastifyRequest): string =>
  isIP(ip) === 0 ? (socket.remoteAddress ?? 'unknown') : ip;

/** The client of a request, for the list of sessions and the audit log. */
export const clientOf = (request: FastifyRequest): ClientInfo => ({
  address: addressOf(request),
  userAgent: request.headers['user-agent'],
});

/** The client of a sign-in, and whether it is known: it has a session, or its address had one. */
export async function signInClientOf(
  app: Pick<App, 'sessions' | 'knownClients'>,
  request: FastifyRequest,
): Promise<ClientInfo> {
  const client = clientOf(request);
  const credential = credentialOf(request);
  const isSignedIn = credential?.kind === 'session' && (await app.sessions.resolve(credential.text));
  return { ...client, isKnown: Boolean(isSignedIn) || app.knownClients.isKnown(addressOf(request)) };
}

/** Sets the session cookie of the browser and ends its earlier session. */
export async function startSession(
  app: Pick<App, 'sessions' | 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { token }: NewSession,
): Promise<void> {
  const earlier = credentialOf(request);
  if (earlier?.kind === 'session' && earlier.text !== token) await app.sessions.replace(earlier.text);
  sendCookie(app, request, reply, token, SESSION_SECONDS);
}

export function clearSessionCookie(
  app: Pick<App, 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  sendCookie(app, request, reply, '', 0);
}

/** Whether the browser uses https, to the daemon or to a proxy in front of it. */
export const isSecure = (app: Pick<App, 'config'>, request: FastifyRequest): boolean =>
  request.protocol === 'https' || (app.config.get('server.baseUrl')?.startsWith('https:') ?? false);

function sendCookie(
  app: Pick<App, 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
  value: string,
  maxAge: number,
): void {
  reply.header(
    'set-cookie',
    stringifySetCookie({
      name: sessionCookie,
      value,
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      maxAge,
      secure: isSecure(app, request),
    }),
  );
}
