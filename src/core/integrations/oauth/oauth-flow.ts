import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { safeParse } from '../../../contract/safe-parse.ts';
import type { OAuthCallback } from '../../../contract/oauth.ts';
import { type Vendor, wireName } from '../../../contract/vendors.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import type { Runtime } from '../../runtime.ts';
import { hashToken } from '../../auth/hash-token.ts';
import type { OneTimeTokens } from '../../auth/one-time-tokens.ts';
import { authorizeUrlOf, clientOf, hasClient } from './oauth-providers.ts';
import { fetchProfile, type ProviderProfile } from './provider-profiles.ts';
import type { TokenGrants, TokenSet } from './token-grants.ts';

/** How long a person may take at the vendor. */
export const OAUTH_FLOW_MS = 10 * 60_000;

export interface FlowStart {
  /** The user signed in at the start; only they may finish the flow. */
  userId?: string | undefined;
  /** The callback URL that the vendor redirects the browser to. */
  redirectUri: string;
  /** The path that the browser is redirected to at the end. */
  returnTo?: string | undefined;
  /** Of an app that keeps the verifier itself. */
  codeChallenge?: string | undefined;
}

export interface FlowEnd {
  /** The binding that the browser kept since the start. */
  binding: string | undefined;
  /** The user signed in now. */
  userId: string | undefined;
  /** Of an app that gave its own challenge. */
  codeVerifier?: string | undefined;
}

export interface FinishedFlow {
  tokens: TokenSet;
  profile: ProviderProfile;
  /** The user who was signed in at the start, and still is. */
  userId: string | undefined;
  returnTo: string;
}

const stateSchema = z.object({
  bindingHash: z.string(),
  redirectUri: z.string(),
  returnTo: z.string(),
  userId: z.string().optional(),
  /** One of the two: the verifier is ours, or an app has it. */
  codeVerifier: z.string().optional(),
  codeChallenge: z.string().optional(),
});
type FlowState = z.output<typeof stateSchema>;

export interface OAuthFlowDeps {
  config: Config;
  fetch: OutboundFetch;
  grants: TokenGrants;
  oneTimeTokens: OneTimeTokens;
  runtime: Runtime;
}

/** The authorization code flow (RFC 6749, RFC 9700) with PKCE and a state that belongs to one browser. */
export class OAuthFlow {
  readonly #deps: OAuthFlowDeps;
  constructor(deps: OAuthFlowDeps) {
    this.#deps = deps;
  }

  /** Whether people can be sent to this vendor. */
  isOffered(name: Vendor): boolean {
    return hasClient(this.#deps.config, name);
  }

  /** Returns the URL for the browser, and the binding that only this browser may keep. */
  async start(
    name: Vendor,
    { userId, redirectUri, returnTo = '/', codeChallenge }: FlowStart,
  ): Promise<{ url: string; state: string; binding: string }> {
    const { config, grants, oneTimeTokens, runtime } = this.#deps;
    const client = clientOf(config, name);
    const binding = runtime.newSecret(32);
    const codeVerifier = codeChallenge === undefined ? runtime.newSecret(32) : undefined;
    const state: FlowState = {
      bindingHash: hashToken(binding),
      redirectUri,
      returnTo,
      userId,
      codeVerifier,
      codeChallenge,
    };
    const { token } = await oneTimeTokens.issue(purposeOf(name), state, OAUTH_FLOW_MS);
    const challenge = codeChallenge ?? (await grants.challengeOf(codeVerifier ?? ''));
    const url = authorizeUrlOf(client, { state: token, redirectUri, codeChallenge: challenge });
    return { url, state: token, binding };
  }

  /** Checks that this browser started the flow, then exchanges the code for tokens and reads the profile. */
  async finish(name: Vendor, callback: OAuthCallback, end: FlowEnd): Promise<FinishedFlow> {
    const { config, fetch, grants, oneTimeTokens } = this.#deps;
    if (callback.state === undefined || (callback.code === undefined && callback.error === undefined))
      throw new AppError('validation', 'The code and the state of a sign-in are missing');
    const stored = safeParse(stateSchema, await oneTimeTokens.redeem(purposeOf(name), callback.state));
    if (!stored.success)
      throw new AppError('wrong_state', 'This sign-in has expired or was already used. Start again.');
    const state = stored.data;
    requireSameBrowser(state, end);
    requireSamePerson(name, state, end);
    const codeVerifier = await this.#verifierOf(state, end);
    const client = clientOf(config, name);
    const { redirectUri, returnTo, userId } = state;
    const tokens = await grants.exchange(name, {
      callback,
      state: callback.state,
      redirectUri,
      codeVerifier,
    });
    const profile = await fetchProfile({ client, fetch, accessToken: tokens.accessToken });
    return { tokens, profile, userId, returnTo };
  }

  async #verifierOf(state: FlowState, { codeVerifier: given }: FlowEnd): Promise<string> {
    if (state.codeVerifier !== undefined) return state.codeVerifier;
    if (given === undefined || (await this.#deps.grants.challengeOf(given)) !== state.codeChallenge)
      throw new AppError('validation', 'The code verifier does not match the code challenge', {
        details: [{ path: 'codeVerifier', message: 'Expected the verifier of the codeChallenge' }],
      });
    return given;
  }
}

const purposeOf = (name: Vendor) => `oauth:${wireName(name)}`;

function requireSameBrowser(state: FlowState, { binding }: FlowEnd): void {
  const expected = Buffer.from(state.bindingHash);
  const actual = Buffer.from(hashToken(binding ?? ''));
  if (!timingSafeEqual(expected, actual))
    throw new AppError('forbidden', 'This sign-in was started in another browser. Start again here.');
}

/** Cookies can be planted, so the user must be the one who started the flow. */
function requireSamePerson(name: Vendor, { userId: before }: FlowState, { userId: now }: FlowEnd): void {
  const isSignIn = name === 'github' && before === undefined;
  if (isSignIn || (now !== undefined && before === now)) return;
  throw new AppError('unauthenticated', 'You were not signed in the whole time. Sign in, then start again.');
}
