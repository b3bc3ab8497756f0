import { WebSearch, type WebSearchParts } from './web-search/web-search.ts';

/** Services of others that svc asks. */
export const joinIntegrations = (parts: WebSearchParts) => ({ webSearch: new WebSearch(parts) });
