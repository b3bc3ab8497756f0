import type { Outbound } from '../outbound/outbound-fetch.ts';
import { IntegrationStatus, type IntegrationStatusDeps } from './integration-status.ts';
import { WebSearch, type WebSearchDeps } from '../web-search/web-search.ts';

type IntegrationDeps = WebSearchDeps & Omit<IntegrationStatusDeps, 'fetch'> & { outbound: Outbound };

/** Services of others that svc asks, and what is connected there. */
export const composeIntegrations = (deps: IntegrationDeps) => ({
  webSearch: new WebSearch(deps),
  integrationStatus: new IntegrationStatus({ ...deps, fetch: deps.outbound.fetch }),
});
