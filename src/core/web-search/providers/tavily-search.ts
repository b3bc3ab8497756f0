import { z } from 'zod';
import type { SearchProvider } from '../search-provider.ts';
import { listOf, textSchema } from './response-schemas.ts';

const responseSchema = z.object({
  results: listOf(z.object({ title: textSchema, url: z.string(), content: textSchema })),
});

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
export const tavilySearch: SearchProvider = {
  name: 'Tavily',
  description: 'Made for models, with longer excerpts',
  needs: 'apiKey',
  configFields: ['apiKey'],
  request: ({ baseUrl, apiKey = '' }, query, limit) => ({
    method: 'POST',
    url: `${baseUrl}/search`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, max_results: limit }),
  }),
  read: (body) =>
    responseSchema.parse(body).results.map(({ title, url, content }) => ({ title, url, snippet: content })),
};
