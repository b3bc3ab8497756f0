import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { WebSearch } from '../../web-search/web-search.ts';
import { defineTool, type Tool, ToolFailure } from '../tool.ts';

export const webSearchTool = ({ webSearch }: { webSearch: WebSearch }): Tool =>
  defineTool({
    name: 'web_search',
    description:
      'Searches the web. Returns the title, URL and an excerpt of each result; read a page itself with web_fetch.',
    input: z.object({
      query: z.string().trim().min(1).max(400).describe('What to search for, in a few words'),
      limit: z.int().min(1).max(20).default(8).describe('The most results to return'),
    }),
    isReadOnly: true,
    danger: 'low',
    unavailable: () => webSearch.unavailable(),
    plan: ({ query, limit }, { signal }) => ({
      access: {},
      run: async () => {
        const results = await webSearch.search(query, { limit, signal }).catch((error: unknown) => {
          throw error instanceof AppError ? new ToolFailure(error.message) : error;
        });
        if (results.length === 0) return { content: 'Nothing was found.' };
        const content = results
          .map(({ title, url, snippet }, index) =>
            [`${index + 1}. ${title || url}`, url, snippet].filter(Boolean).join('\n   '),
          )
          .join('\n\n');
        return { content, origin: 'Web search results' };
      },
    }),
  });
