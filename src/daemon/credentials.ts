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

/** What a request sends to say who makes it. */
type Credential = { kind: 'session' | 'token' | 'broken'; text: string };

/** What tells who sent a request. */
export type CallerServices = Pick<App, 'sessions' | 'tokens' | 'accessKey'>;

/**
 * Who makes the request: by the session in the cookie or in the Authorization header, by an API token, or the owner
 * where no access key is required. A credential that is not good is never made up for by another.
 */
export async function findCaller(app: CallerServices, request: FastifyRequest): Promise<Caller | undefined> {
  const credential = credentialOf(request);
  if (credential?.kind === 'token') return app.tokens.resolve(credential.text);
  const caller = credential?.kind === 'session' ? await app.sessions.resolve(credential.text) : undefined;
  if (caller || request.headers.authorization !== undefined) return caller;
  return app.accessKey.isOpen && !isForwarded(request) ? owner : undefined;
}

/** The caller, if their session was looked up a moment ago. */
export function recallCaller(app: Pick<App, 'sessions'>, request: FastifyRequest): Caller | undefined {
  const credential = credentialOf(request);
  return credential?.kind === 'session' ? app.sessions.recall(credential.text) : undefined;
}

function credentialOf({ headers }: FastifyRequest): Credential | undefined {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) {
    const [, text] = /^Bearer +([\w-]{1,200})$/i.exec(authorization) ?? [];
    if (text === undefined) return { kind: 'broken', text: '' };
    return { kind: text.startsWith(tokenPrefix) ? 'token' : 'session', text };
  }
  if (cookie === undefined) return undefined;
  const text = parseCookie(cookie)[sessionCookie];
  if (text === undefined) return undefined;
  // Of two sessions one was planted: nobody can say which.
  return { kind: hasTwoSessions(cookie) ? 'broken' : 'session', text };
}

function hasTwoSessions(cookie: string): boolean {
  const first = cookie.indexOf(sessionCookie);
  return cookie.includes(sessionCookie, first + 1) && cookie.split(`${sessionCookie}=`).length > 2;
}

/** True where a proxy says that it speaks for somebody. */
export const isForwarded = ({ headers }: FastifyRequest): boolean =>
  ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host'].some((name) => name in headers);

/** The address of the caller; what a proxy makes up for one is not believed. */
export const addressOf = ({ ip, socket }: FastifyRequest): string =>
  isIP(ip) === 0 ? (socket.remoteAddress ?? 'unknown') : ip;

/** Where the request comes from, for the list of sessions and the audit log. */
export const clientOf = (request: FastifyRequest): ClientInfo => ({
  address: addressOf(request),
  userAgent: request.headers['user-agent'],
});

/** Gives the browser its new session; the one that it had is over. */
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

/** True where the browser speaks https, to us or to the proxy before us. */
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
