import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OAuthCallback, ProviderName } from '../contract/oauth.ts';
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

/** Says that this browser started the flow. */
const bindingCookie = 'service_oauth';

type Exchange = Pick<Context, 'request' | 'reply'>;

export interface BrowserStart {
  returnTo?: string | undefined;
  redirectUri?: string | undefined;
  codeChallenge?: string | undefined;
}

/** OAuth flows of browsers: the binding is a cookie, the person is who is signed in. */
export class BrowserFlow {
  readonly #app: BrowserFlowServices;
  constructor(app: BrowserFlowServices) {
    this.#app = app;
  }

  /** Answers where the browser has to go. */
  async start(
    provider: ProviderName,
    { redirectUri, ...options }: BrowserStart,
    { request, reply }: Exchange,
  ): Promise<{ url: string; state: string }> {
    const base = baseUrlOf(this.#app, request);
    if (redirectUri !== undefined) requireOurs(redirectUri, base);
    const { binding, ...answer } = await this.#app.oauthFlow.start(provider, {
      ...options,
      redirectUri: redirectUri ?? `${base}/api/auth/${provider}/callback`,
      userId: (await this.#person(request))?.userId,
    });
    this.#keep(request, reply, binding, OAUTH_FLOW_MS / 1000);
    return answer;
  }

  /** Signs in with the code host; answers the path to go to. */
  async signIn(
    callback: OAuthCallback,
    codeVerifier: string | undefined,
    exchange: Exchange,
  ): Promise<{ user: SignedIn['user']; returnTo: string }> {
    const { request, reply } = exchange;
    const { flow, caller } = await this.#finish('codehost', callback, codeVerifier, exchange);
    const place = { caller, client: clientOf(request), isTrustedClient: isTrustedClient(this.#app, request) };
    const { session, user } = await this.#app.oauthSignIn.signIn(flow, place);
    await startSession(this.#app, request, reply, session);
    return { user, returnTo: asHeader(flow.returnTo) };
  }

  /** Connects a tracker to who is signed in; answers the path to go to. */
  async connect(provider: ProviderName, callback: OAuthCallback, exchange: Exchange): Promise<string> {
    const { flow } = await this.#finish(provider, callback, undefined, exchange);
    const { userId, returnTo } = flow;
    if (userId === undefined) throw new AppError('unauthenticated', 'Not signed in');
    await this.#app.connections.connect({ userId, provider, client: clientOf(exchange.request) }, flow);
    return asHeader(returnTo);
  }

  async #finish(
    provider: ProviderName,
    callback: OAuthCallback,
    codeVerifier: string | undefined,
    { request, reply }: Exchange,
  ): Promise<{ flow: FinishedFlow; caller: Caller | undefined }> {
    const binding = parseCookie(request.headers.cookie ?? '')[bindingCookie];
    // Whatever comes of it, the flow is over.
    this.#keep(request, reply, '', 0);
    const caller = await this.#person(request);
    const end = { binding, userId: caller?.userId, codeVerifier };
    return { flow: await this.#app.oauthFlow.finish(provider, callback, end), caller };
  }

  /** An API token is no person at a browser. */
  async #person(request: FastifyRequest): Promise<Caller | undefined> {
    const caller = await findCaller(this.#app, request);
    return caller?.token ? undefined : caller;
  }

  #keep(request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number): void {
    reply.header(
      'set-cookie',
      stringifySetCookie({
        name: bindingCookie,
        value,
        httpOnly: true,
        // Sent when the vendor sends the person back, and never with a request of another page.
        sameSite: 'lax',
        path: '/api/auth',
        maxAge,
        secure: isSecure(this.#app, request),
      }),
    );
  }
}

/** The code comes to this address, so it has to be one of ours. */
function requireOurs(redirectUri: string, base: string): void {
  const { origin, username, password, hash } = new URL(redirectUri);
  if (origin === new URL(base).origin && username === '' && password === '' && hash === '') return;
  const message = `Expected an address of ${new URL(base).origin}`;
  throw new AppError('validation', `redirectUri: ${message}`, {
    details: [{ path: 'redirectUri', message }],
  });
}

/** A header holds no letters beyond ASCII; what is escaped already stays. */
const asHeader = (path: string) => path.replace(/[^\x21-\x7e]+/gu, encodeURIComponent);
