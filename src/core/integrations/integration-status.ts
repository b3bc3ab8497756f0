import {
  type CodehostStatus,
  codehostStatusSchema,
  type DisconnectResult,
  type TrackerAStatus,
  trackerAStatusSchema,
  type TrackerBStatus,
  trackerBStatusSchema,
  type WebhooksStatus,
} from '../../contract/integrations.ts';
import type { ProviderName } from '../../contract/oauth.ts';
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
const revocationPages: Record<ProviderName, string> = {
  codehost: 'at GitHub, Settings > Applications > Authorized OAuth Apps',
  tracker_a: 'at https://id.atlassian.com/manage-profile/apps, Connected apps',
  tracker_b: 'at Linear, Settings > Applications',
};

/** Status of a user's connected accounts at GitHub, Jira and Linear, and of the inbound webhooks. */
export class IntegrationStatus {
  readonly #deps: IntegrationStatusDeps;
  readonly #hooks: HookCheck;
  constructor(deps: IntegrationStatusDeps) {
    this.#deps = deps;
    this.#hooks = new HookCheck(deps);
  }

  async codehost(userId: string): Promise<CodehostStatus> {
    const { config, connections } = this.#deps;
    const connection = await connections.find(userId, 'codehost');
    return {
      connected: connection !== undefined,
      ...(connection && accounts.codehost.parse(connection.account)),
      scopes: connection?.scopes ?? [],
      webhookConfigured: await this.#isHookSet(userId, connection),
      aiTaskLabel: config.get('webhooks.codehost.aiTaskLabel'),
    };
  }

  async trackerA(userId: string): Promise<TrackerAStatus> {
    const connection = await this.#deps.connections.find(userId, 'tracker_a');
    return {
      connected: connection !== undefined,
      ...(connection && accounts.tracker_a.parse(connection.account)),
      scopes: connection?.scopes ?? [],
      ...(connection?.expiresAt !== undefined && { tokenExpiry: connection.expiresAt }),
    };
  }

  async trackerB(userId: string): Promise<TrackerBStatus> {
    const connection = await this.#deps.connections.find(userId, 'tracker_b');
    return connection
      ? { connected: true, ...accounts.tracker_b.parse(connection.account) }
      : { connected: false, teams: [] };
  }

  async webhooks(): Promise<WebhooksStatus> {
    const counts = await inboundCounts(this.#deps.database);
    const statusOf = (provider: ProviderName) => {
      const { count = 0, lastAt } = counts.get(provider) ?? {};
      return {
        configured: this.#hasSecret(provider),
        eventCount: count,
        ...(lastAt !== undefined && { lastEvent: lastAt }),
      };
    };
    return {
      codehost: statusOf('codehost'),
      tracker_a: statusOf('tracker_a'),
      tracker_b: statusOf('tracker_b'),
    };
  }

  /**
   * Revokes the access of the caller, or of the user whom an administrator names, at the vendor and deletes the connection. The
   * message says what is left to do by hand.
   */
  async disconnect(
    caller: Caller,
    provider: ProviderName,
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
    if (!this.#hasSecret('codehost')) return false;
    if (await hasInbound(this.#deps.database, 'codehost')) return true;
    return connection !== undefined && this.#hooks.isSeen(userId, connection);
  }

  #hasSecret(provider: ProviderName): boolean {
    return Boolean(this.#deps.config.get(`webhooks.${provider}.signingSecret`));
  }
}

/** The stored account fields that a status shows. */
const accounts = {
  codehost: codehostStatusSchema.pick({ username: true, avatarUrl: true }),
  tracker_a: trackerAStatusSchema.pick({ cloudId: true, siteName: true }),
  tracker_b: trackerBStatusSchema.pick({ workspaceName: true, workspaceId: true, teams: true }),
};
