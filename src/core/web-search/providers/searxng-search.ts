import { z } from 'zod';
import type { SearchProvider } from '../search-provider.ts';
import { listOf, textSchema } from './search-answer.ts';

const answerSchema = z.object({
  results: listOf(z.object({ title: textSchema, url: z.string(), content: textSchema })),
});

/**
 * https://docs.searxng.org/dev/search_api.html. SearXNG itself knows no key; what stands in front of it may want one as
 * a bearer token.
 */
export const searxngSearch: SearchProvider = {
  name: 'SearXNG',
  description: 'A metasearch engine that you run yourself',
  needs: 'baseUrl',
  configFields: ['baseUrl', 'apiKey'],
  forbidden:
    'SearXNG refuses the request (403): json has to be among search.formats in its settings.yml, and a key given where one is asked for',
  request: ({ baseUrl, apiKey }, query) => ({
    method: 'GET',
    url: `${baseUrl}/search?${new URLSearchParams({ q: query, format: 'json' }).toString()}`,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  }),
  read: (answer) =>
    answerSchema.parse(answer).results.map(({ title, url, content }) => ({ title, url, snippet: content })),
};
