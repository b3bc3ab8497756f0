import { type SearchProviderId, searchProviderSchema } from '../../contract/integrations.ts';
import { braveSearch } from './providers/brave-search.ts';
import { searxngSearch } from './providers/searxng-search.ts';
import { serperSearch } from './providers/serper-search.ts';
import { tavilySearch } from './providers/tavily-search.ts';
import type { SearchProvider } from './search-provider.ts';

/** All search providers. */
export const searchProviders: Record<SearchProviderId, SearchProvider> = {
  brave: braveSearch,
  serper: serperSearch,
  tavily: tavilySearch,
  searxng: searxngSearch,
};

export const searchProviderIds = searchProviderSchema.options;
