import type { Outbound } from '../outbound/outbound-fetch.ts';
import { IntegrationStatus, type IntegrationStatusParts } from './integration-status.ts';
import { WebSearch, type WebSearchParts } from '../web-search/web-search.ts';

type IntegrationParts = WebSearchParts & Omit<IntegrationStatusParts, 'fetch'> & { outbound: Outbound };

/** Services of others that svc asks, and what is connected there. */
export const joinIntegrations = (parts: IntegrationParts) => ({
  webSearch: new WebSearch(parts),
  integrationStatus: new IntegrationStatus({ ...parts, fetch: parts.outbound.fetch }),
});
