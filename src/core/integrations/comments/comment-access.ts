import { trimSlashes } from '../../../contract/trim-slashes.ts';
import type { ConnectionService } from '../oauth/connection-service.ts';
import { oauthProviders } from '../oauth/oauth-providers.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { CommentTarget } from '../inbound/source-work.ts';
import { CommentFailure } from './comment-failure.ts';

type Provider = CommentTarget['provider'];

/** The account and base URL that a comment is written with. */
export interface Access {
  /** The account whose rate limits apply. */
  account: string;
  vendor: string;
  /** Without a trailing slash; from the settings, never from a delivery. */
  baseUrl: string;
  authorization: string;
}

/** Finds the credentials for a comment: the account that the owner connected, else the token from the settings. */
export class CommentAccess {
  readonly #config: Config;
  readonly #connections: Pick<ConnectionService, 'find' | 'accessToken'>;

  constructor(deps: { config: Config; connections: Pick<ConnectionService, 'find' | 'accessToken'> }) {
    this.#config = deps.config;
    this.#connections = deps.connections;
  }

  /** Resolves to undefined without credentials. Throws an `AppError` when they may become available later. */
  async of(ownerId: string, target: CommentTarget): Promise<Access | undefined> {
    const { provider } = target;
    const connection = await this.#connections.find(ownerId, provider);
    if (!connection) return this.#ofSettings(provider);
    const token = await this.#connections.accessToken(ownerId, provider).catch((error: unknown) => {
      // Connected, but the user has to connect again.
      if (error instanceof AppError && error.code === 'wrong_state') return error;
      throw error;
    });
    if (token instanceof AppError) {
      const other = this.#ofSettings(provider);
      if (other) return other;
      throw new CommentFailure('unauthorized', token.message);
    }
    const baseUrl = withoutSlash(this.#config.get(`integrations.${provider}.apiUrl`));
    return {
      account: `${provider} ${ownerId}`,
      vendor: oauthProviders[provider].vendor,
      baseUrl:
        target.provider === 'jira'
          ? `${baseUrl}/ex/jira/${cloudIdOf(connection.account, target.site)}`
          : baseUrl,
      authorization: `Bearer ${token}`,
    };
  }

  #ofSettings(provider: Provider): Access | undefined {
    const config = this.#config;
    const token = config.secret(`integrations.${provider}.token`);
    if (!token) return undefined;
    const site = config.get('integrations.jira.siteUrl');
    const email = config.get('integrations.jira.email');
    const isJira = provider === 'jira';
    if (isJira && (!site || !email)) return undefined;
    return {
      account: provider,
      vendor: oauthProviders[provider].vendor,
      baseUrl: withoutSlash((isJira && site) || config.get(`integrations.${provider}.apiUrl`)),
      authorization: isJira
        ? `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`
        : // Linear expects a personal API key without a scheme in front.
          token.startsWith('lin_api_')
          ? token
          : `Bearer ${token}`,
    };
  }
}

/** The same key may name a different issue on another site, so sites that are not connected are refused. */
function cloudIdOf(account: Record<string, unknown>, site: string): string {
  const { sites, cloudId } = account;
  const known = Array.isArray(sites)
    ? (sites as { id?: unknown; url?: unknown }[]).find(({ url }) => originOf(url) === originOf(site))?.id
    : cloudId;
  if (typeof known !== 'string') throw new CommentFailure('refused', 'This Jira site is not connected');
  return encodeURIComponent(known);
}

const originOf = (url: unknown): string | undefined =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined;
const withoutSlash = (url: string): string => trimSlashes(url);
