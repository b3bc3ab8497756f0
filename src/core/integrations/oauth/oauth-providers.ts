import type { ProviderName } from '../../../contract/oauth.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';

/** What differs between the vendors. */
export interface OAuthProvider {
  name: ProviderName;
  vendor: string;
  /** What is asked for unless the settings say otherwise. */
  scopes: readonly string[];
  /** Stands between the scopes in the authorize URL. */
  scopeSeparator: ' ' | ',';
  authorizeParameters: Readonly<Record<string, string>>;
  /** How the vendor wants the token request. */
  tokenRequest: 'form' | 'json';
  /** Whom its answers name as their sender (RFC 9207), where it names one. */
  issuer?: (authorizeUrl: string) => string;
  /** The purpose, at the beginning of a sentence. */
  purpose: string;
}

export const oauthProviders: Record<ProviderName, OAuthProvider> = {
  codehost: {
    name: 'codehost',
    vendor: 'GitHub',
    scopes: ['read:user', 'user:email', 'repo'],
    scopeSeparator: ' ',
    authorizeParameters: {},
    tokenRequest: 'form',
    // https://github.com/login/oauth, and the same below the address of an enterprise server.
    issuer: (authorizeUrl) => authorizeUrl.replace(/\/authorize\/?$/, ''),
    purpose: 'Sign-in with GitHub',
  },
  tracker_a: {
    name: 'tracker_a',
    vendor: 'Jira',
    // Without offline_access there is no refresh token, and the connection would last an hour.
    scopes: ['read:me', 'read:jira-work', 'write:jira-work', 'offline_access'],
    scopeSeparator: ' ',
    authorizeParameters: { audience: 'api.atlassian.com', prompt: 'consent' },
    tokenRequest: 'json',
    purpose: 'Connecting Jira',
  },
  tracker_b: {
    name: 'tracker_b',
    vendor: 'Linear',
    scopes: ['read', 'write'],
    scopeSeparator: ',',
    authorizeParameters: {},
    tokenRequest: 'form',
    purpose: 'Connecting Linear',
  },
};

/** Who we are at a vendor, and where it is. */
export interface OAuthClient {
  provider: OAuthProvider;
  clientId: string;
  clientSecret: string;
  authorizeUrl: string;
  tokenUrl: string;
  /** Without a slash at its end. */
  apiUrl: string;
  scopes: readonly string[];
}

/** Reads the settings anew, so that a changed secret counts at once. */
export function clientOf(config: Config, name: ProviderName): OAuthClient {
  const provider = oauthProviders[name];
  const required = (key: 'clientId' | 'clientSecret', value: string | undefined) => {
    if (value) return value;
    throw new AppError(
      'unsupported',
      `${provider.purpose} is not set up: svc config set integrations.${name}.${key} <value>`,
    );
  };
  return {
    provider,
    clientId: required('clientId', config.get(`integrations.${name}.clientId`)),
    clientSecret: required('clientSecret', config.secret(`integrations.${name}.clientSecret`)),
    authorizeUrl: config.get(`integrations.${name}.authorizeUrl`),
    tokenUrl: config.get(`integrations.${name}.tokenUrl`),
    apiUrl: config.get(`integrations.${name}.apiUrl`).replace(/\/+$/, ''),
    scopes: config.get(`integrations.${name}.scopes`) ?? provider.scopes,
  };
}

/** Where the browser is sent to ask the person. */
export function authorizeUrlOf(
  { provider, clientId, authorizeUrl, scopes }: OAuthClient,
  flow: { state: string; redirectUri: string; codeChallenge: string },
): string {
  const url = new URL(authorizeUrl);
  const parameters = {
    ...provider.authorizeParameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: flow.redirectUri,
    scope: scopes.join(provider.scopeSeparator),
    state: flow.state,
    code_challenge: flow.codeChallenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
