import {
  type GithubStatus,
  githubStatusSchema,
  type DisconnectResult,
  type JiraStatus,
  jiraStatusSchema,
  type LinearStatus,
  linearStatusSchema,
  type WebhooksStatus,
} from '../../contract/integrations.ts';
import { byWireNames, type Vendor } from '../../contract/vendors.ts';
import type { Connection, ConnectionService } from './oauth/connection-service.ts';
import { oauthProviders } from './oauth/oauth-providers.ts';
import type { Caller } from '../auth/caller.ts';
import { namedOwner } from '../auth/named-owner.ts';
import type { ClientInfo } from '../auth/session-service.ts';
import type { Config } from '../config/config.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { HookCheck } from './hook-check.ts';
import { hasInbound, inboundCounts } from './inbound-counts.ts';

export interface IntegrationStatusDeps {
  database: Database;
  config: Config;
  connections: ConnectionService;
  fetch: OutboundFetch;
  runtime: Runtime;
}

/** Where people revoke a grant by hand. */
const revocationPages: Record<Vendor, string> = {
  github: 'at GitHub, Settings > Applications > Authorized OAuth Apps',
  jira: 'at https://id.atlassian.com/manage-profile/apps, Connected apps',
  linear: 'at Linear, Settings > Applications',
};

/** Status of a user's connected accounts at GitHub, Jira and Linear, and of the inbound webhooks. */
export class IntegrationStatus {
  readonly #deps: IntegrationStatusDeps;
  readonly #hooks: HookCheck;
  constructor(deps: IntegrationStatusDeps) {
    this.#deps = deps;
    this.#hooks = new HookCheck(deps);
  }

  async github(userId: string): Promise<GithubStatus> {
    const { config, connections } = this.#deps;
    const connection = await connections.find(userId, 'github');
    return {
      connected: connection !== undefined,
      ...(connection && accounts.github.parse(connection.account)),
      scopes: connection?.scopes ?? [],
      webhookConfigured: await this.#isHookSet(userId, connection),
      aiTaskLabel: config.get('webhooks.github.aiTaskLabel'),
    };
  }

  async jira(userId: string): Promise<JiraStatus> {
    const connection = await this.#deps.connections.find(userId, 'jira');
    return {
      connected: connection !== undefined,
      ...(connection && accounts.jira.parse(connection.account)),
      scopes: connection?.scopes ?? [],
      ...(connection?.expiresAt !== undefined && { tokenExpiry: connection.expiresAt }),
    };
  }

  async linear(userId: string): Promise<LinearStatus> {
    const connection = await this.#deps.connections.find(userId, 'linear');
    return connection
      ? { connected: true, ...accounts.linear.parse(connection.account) }
      : { connected: false, teams: [] };
  }

  async webhooks(): Promise<WebhooksStatus> {
    const counts = await inboundCounts(this.#deps.database);
    const statusOf = (provider: Vendor) => {
      const { count = 0, lastAt } = counts.get(provider) ?? {};
      return {
        configured: this.#hasSecret(provider),
        eventCount: count,
        ...(lastAt !== undefined && { lastEvent: lastAt }),
      };
    };
    return byWireNames({
      github: statusOf('github'),
      jira: statusOf('jira'),
      linear: statusOf('linear'),
    });
  }

  /**
   * Revokes the access of the caller, or of the user whom an administrator names, at the vendor and deletes the connection. The
   * message says what is left to do by hand.
   */
  async disconnect(
    caller: Caller,
    provider: Vendor,
    { userId, client }: { userId?: string | undefined; client: ClientInfo },
  ): Promise<DisconnectResult> {
    const { connections, database } = this.#deps;
    const ownerId = await namedOwner(database.read, caller, userId);
    const revoked = await connections.disconnect(ownerId, provider, {
      actorId: caller.userId,
      address: client.address,
    });
    const { vendor } = oauthProviders[provider];
    const message = revoked
      ? `${vendor} disconnected and access revoked`
      : `${vendor} disconnected and its tokens deleted. Revoke the access ${revocationPages[provider]}`;
    return { message, revoked };
  }

  async #isHookSet(userId: string, connection: Connection | undefined): Promise<boolean> {
    if (!this.#hasSecret('github')) return false;
    if (await hasInbound(this.#deps.database, 'github')) return true;
    return connection !== undefined && this.#hooks.isSeen(userId, connection);
  }

  #hasSecret(provider: Vendor): boolean {
    return Boolean(this.#deps.config.get(`webhooks.${provider}.signingSecret`));
  }
}

/** The stored account fields that a status shows. */
const accounts = {
  github: githubStatusSchema.pick({ username: true, avatarUrl: true }),
  jira: jiraStatusSchema.pick({ cloudId: true, siteName: true }),
  linear: linearStatusSchema.pick({ workspaceName: true, workspaceId: true, teams: true }),
};
