import { z } from 'zod';
import type { SearchProvider } from '../search-provider.ts';
import { listOf, textSchema } from './response-schemas.ts';

/** `web` is missing if nothing was found. */
const responseSchema = z.object({
  type: z.literal('search'),
  web: z
    .object({ results: listOf(z.object({ title: textSchema, url: z.string(), description: textSchema })) })
    .nullish(),
});

/** https://api-dashboard.search.brave.com/app/documentation/web-search */
export const braveSearch: SearchProvider = {
  name: 'Brave Search',
  description: 'An index of its own, with a free plan',
  needs: 'apiKey',
  configFields: ['apiKey'],
  request: ({ baseUrl, apiKey = '' }, query, limit) => ({
    method: 'GET',
    url: `${baseUrl}/res/v1/web/search?${new URLSearchParams({
      q: query,
      count: String(limit),
      text_decorations: 'false',
      result_filter: 'web',
    }).toString()}`,
    headers: { 'x-subscription-token': apiKey },
  }),
  read: (body) =>
    (responseSchema.parse(body).web?.results ?? []).map(({ title, url, description }) => ({
      title: plain(title),
      url,
      snippet: plain(description),
    })),
};

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Converts the HTML of the API to text: removes emphasis and decodes entities. */
const plain = (html: string) =>
  html
    .replaceAll(/<\/?(?:strong|b|em)>/g, '')
    .replaceAll(
      /&(?:#x([\da-f]{1,5})|#(\d{1,6})|([a-z]{2,4}));/gi,
      (all, hex?: string, decimal?: string, name = '') =>
        hex !== undefined || decimal !== undefined
          ? String.fromCodePoint(Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16))
          : (entities[String(name)] ?? all),
    );
