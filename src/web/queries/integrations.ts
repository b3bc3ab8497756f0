import { queryOptions } from '@tanstack/react-query';
import type { Vendor } from '../../contract/vendors.ts';
import { client } from '../client.ts';

/** What is connected at a product; one's own account only. */
export interface Connection {
  isConnected: boolean;
  /** The account, site or workspace. */
  account?: string | undefined;
  /** What svc may do there, in the words of the product. */
  scopes?: readonly string[];
  teams?: readonly string[];
  expiresAt?: string | undefined;
  /** Only GitHub says. */
  isHookSeen?: boolean;
}

const asks: Record<Vendor, () => Promise<Connection>> = {
  github: async () => {
    const { connected, username, scopes, webhookConfigured } = await client.integrations.getGithub();
    return { isConnected: connected, account: username, scopes, isHookSeen: webhookConfigured };
  },
  jira: async () => {
    const { connected, siteName, scopes, tokenExpiry } = await client.integrations.getJira();
    return { isConnected: connected, account: siteName, scopes, expiresAt: tokenExpiry };
  },
  linear: async () => {
    const { connected, workspaceName, teams } = await client.integrations.getLinear();
    return {
      isConnected: connected,
      account: workspaceName,
      teams: teams.map(({ name, key }) => `${name} (${key})`),
    };
  },
};

export const connectionQuery = (vendor: Vendor) =>
  queryOptions({ queryKey: ['integrations', vendor], queryFn: asks[vendor] });

/** What arrives from the products. */
export const hooksQuery = queryOptions({
  queryKey: ['integrations', 'webhooks'],
  queryFn: () => client.integrations.getWebhooksStatus(),
});

export const webSearchQuery = queryOptions({
  queryKey: ['integrations', 'web-search'],
  queryFn: () => client.integrations.getWebSearch(),
});
