import { z } from 'zod';
import type { SearchProvider } from '../search-provider.ts';
import { listOf, textSchema } from './response-schemas.ts';

const responseSchema = z.object({
  results: listOf(z.object({ title: textSchema, url: z.string(), content: textSchema })),
});

/**
 * https://docs.searxng.org/dev/search_api.html. SearXNG itself has no keys; a proxy in front of it may require a bearer
 * token.
 */
export const searxngSearch: SearchProvider = {
  name: 'SearXNG',
  description: 'A metasearch engine that you run yourself',
  needs: 'baseUrl',
  configFields: ['baseUrl', 'apiKey'],
  forbidden:
    'SearXNG rejected the request (403): add json to search.formats in its settings.yml, and set the key if it requires one',
  request: ({ baseUrl, apiKey }, query) => ({
    method: 'GET',
    url: `${baseUrl}/search?${new URLSearchParams({ q: query, format: 'json' }).toString()}`,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  }),
  read: (body) =>
    responseSchema.parse(body).results.map(({ title, url, content }) => ({ title, url, snippet: content })),
};
