import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OAuthCallback } from '../contract/oauth.ts';
import { type Vendor, wireName } from '../contract/vendors.ts';
import type { App } from '../core/app.ts';
import type { SignedIn } from '../core/auth/account-service.ts';
import type { Caller } from '../core/auth/caller.ts';
import { type FinishedFlow, OAUTH_FLOW_MS } from '../core/integrations/oauth/oauth-flow.ts';
import { AppError } from '../core/errors.ts';
import { baseUrlOf } from './base-url.ts';
import { clientOf, type CallerServices, findCaller, isSecure, startSession } from './credentials.ts';
import type { Context } from './implement.ts';
import { isTrustedClient } from './routes/auth.ts';

export type BrowserFlowServices = CallerServices &
  Pick<App, 'oauthFlow' | 'oauthSignIn' | 'connections' | 'config' | 'isLoopback'>;

/** Binds the flow to the browser that started it. */
const bindingCookie = 'service_oauth';

type Exchange = Pick<Context, 'request' | 'reply'>;

export interface BrowserStart {
  returnTo?: string | undefined;
  redirectUri?: string | undefined;
  codeChallenge?: string | undefined;
}

/** OAuth flows of browsers, bound to the browser by a cookie and to the signed-in user. */
export class BrowserFlow {
  readonly #app: BrowserFlowServices;
  constructor(app: BrowserFlowServices) {
    this.#app = app;
  }

  /** Starts a flow; returns the URL that the browser must open. */
  async start(
    provider: Vendor,
    { redirectUri, ...options }: BrowserStart,
    { request, reply }: Exchange,
  ): Promise<{ url: string; state: string }> {
    const base = baseUrlOf(this.#app, request);
    if (redirectUri !== undefined) requireOwnUrl(redirectUri, base);
    const { binding, ...answer } = await this.#app.oauthFlow.start(provider, {
      ...options,
      redirectUri: redirectUri ?? `${base}/api/auth/${wireName(provider)}/callback`,
      userId: (await this.#signedInCaller(request))?.userId,
    });
    this.#setBinding(request, reply, binding, OAUTH_FLOW_MS / 1000);
    return answer;
  }

  /** Signs in with GitHub; returns the path to redirect to. */
  async signIn(
    callback: OAuthCallback,
    codeVerifier: string | undefined,
    exchange: Exchange,
  ): Promise<{ user: SignedIn['user']; returnTo: string }> {
    const { request, reply } = exchange;
    const { flow, caller } = await this.#finish('github', callback, codeVerifier, exchange);
    const origin = {
      caller,
      client: clientOf(request),
      isTrustedClient: isTrustedClient(this.#app, request),
    };
    const { session, user } = await this.#app.oauthSignIn.signIn(flow, origin);
    await startSession(this.#app, request, reply, session);
    return { user, returnTo: toHeader(flow.returnTo) };
  }

  /** Connects Jira or Linear to the signed-in user; returns the path to redirect to. */
  async connect(provider: Vendor, callback: OAuthCallback, exchange: Exchange): Promise<string> {
    const { flow } = await this.#finish(provider, callback, undefined, exchange);
    const { userId, returnTo } = flow;
    if (userId === undefined) throw new AppError('unauthenticated', 'Not signed in');
    await this.#app.connections.connect({ userId, provider, client: clientOf(exchange.request) }, flow);
    return toHeader(returnTo);
  }

  async #finish(
    provider: Vendor,
    callback: OAuthCallback,
    codeVerifier: string | undefined,
    { request, reply }: Exchange,
  ): Promise<{ flow: FinishedFlow; caller: Caller | undefined }> {
    const binding = parseCookie(request.headers.cookie ?? '')[bindingCookie];
    // The flow is over in every case.
    this.#setBinding(request, reply, '', 0);
    const caller = await this.#signedInCaller(request);
    const proof = { binding, userId: caller?.userId, codeVerifier };
    return { flow: await this.#app.oauthFlow.finish(provider, callback, proof), caller };
  }

  /** The signed-in user; an API token does not count. */
  async #signedInCaller(request: FastifyRequest): Promise<Caller | undefined> {
    const caller = await findCaller(this.#app, request);
    return caller?.token ? undefined : caller;
  }

  #setBinding(request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number): void {
    reply.header(
      'set-cookie',
      stringifySetCookie({
        name: bindingCookie,
        value,
        httpOnly: true,
        // Sent with the redirect back from the vendor, but not with requests of other pages.
        sameSite: 'lax',
        path: '/api/auth',
        maxAge,
        secure: isSecure(this.#app, request),
      }),
    );
  }
}

/** The authorization code is sent to this URL, so it must belong to the daemon. */
function requireOwnUrl(redirectUri: string, base: string): void {
  const { origin, username, password, hash } = new URL(redirectUri);
  if (origin === new URL(base).origin && username === '' && password === '' && hash === '') return;
  const message = `Expected an address of ${new URL(base).origin}`;
  throw new AppError('validation', `redirectUri: ${message}`, {
    details: [{ path: 'redirectUri', message }],
  });
}

/** Escapes non-ASCII characters, which headers cannot contain. */
const toHeader = (path: string) => path.replace(/[^\x21-\x7e]+/gu, encodeURIComponent);
