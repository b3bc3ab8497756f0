import { z } from 'zod';
import type { SearchProvider, SearchResult } from '../search-provider.ts';
import { listOf, textSchema } from './response-schemas.ts';

const responseSchema = z.object({
  organic: listOf(z.object({ title: textSchema, link: z.string(), snippet: textSchema })),
});

/** https://serper.dev */
export const serperSearch: SearchProvider = {
  name: 'Serper',
  description: 'What Google finds',
  needs: 'apiKey',
  configFields: ['apiKey'],
  request: ({ baseUrl, apiKey = '' }, query, limit) => ({
    method: 'POST',
    url: `${baseUrl}/search`,
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ q: query, num: limit }),
  }),
  read: (body) => {
    const { organic } = responseSchema.parse(body);
    return organic.map(({ title, link, snippet }): SearchResult => ({ title, url: link, snippet }));
  },
};
