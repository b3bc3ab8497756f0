import { trimSlashes } from '../../../contract/trim-slashes.ts';
import { productNames, type Vendor } from '../../../contract/vendors.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';

/** The differences between the vendors. */
export interface OAuthProvider {
  name: Vendor;
  vendor: string;
  /** The scopes that are requested unless the settings name others. */
  scopes: readonly string[];
  /** Stands between the scopes in the authorize URL. */
  scopeSeparator: ' ' | ',';
  authorizeParameters: Readonly<Record<string, string>>;
  /** The format of the token request. */
  tokenRequest: 'form' | 'json';
  /** The issuer that its answers name (RFC 9207), if any. */
  issuer?: (authorizeUrl: string) => string;
  /** The purpose, at the beginning of a sentence. */
  purpose: string;
}

export const oauthProviders: Record<Vendor, OAuthProvider> = {
  github: {
    name: 'github',
    vendor: productNames.github,
    scopes: ['read:user', 'user:email', 'repo'],
    scopeSeparator: ' ',
    authorizeParameters: {},
    tokenRequest: 'form',
    // https://github.com/login/oauth, and the same below the address of an enterprise server.
    issuer: (authorizeUrl) => authorizeUrl.replace(/\/authorize\/?$/, ''),
    purpose: 'Sign-in with GitHub',
  },
  jira: {
    name: 'jira',
    vendor: productNames.jira,
    // Without offline_access there is no refresh token, and the connection would last an hour.
    scopes: ['read:me', 'read:jira-work', 'write:jira-work', 'offline_access'],
    scopeSeparator: ' ',
    authorizeParameters: { audience: 'api.atlassian.com', prompt: 'consent' },
    tokenRequest: 'json',
    purpose: 'Connecting Jira',
  },
  linear: {
    name: 'linear',
    vendor: productNames.linear,
    scopes: ['read', 'write'],
    scopeSeparator: ',',
    authorizeParameters: {},
    tokenRequest: 'form',
    purpose: 'Connecting Linear',
  },
};

/** The OAuth client at a vendor, and its endpoints. */
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

/** Whether the client of the vendor is set up, so that people can be sent there. */
export const hasClient = (config: Config, name: Vendor): boolean =>
  Boolean(config.get(`integrations.${name}.clientId`) && config.secret(`integrations.${name}.clientSecret`));

/** Reads the settings at each call, so that a changed secret takes effect at once. */
export function clientOf(config: Config, name: Vendor): OAuthClient {
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
    apiUrl: trimSlashes(config.get(`integrations.${name}.apiUrl`)),
    scopes: config.get(`integrations.${name}.scopes`) ?? provider.scopes,
  };
}

/** The authorization URL for the browser. */
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
