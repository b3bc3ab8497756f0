import { z } from 'zod';
import { scoredChunkSchema, searchMemorySchema, searchMethodSchema } from '../../../contract/memory.ts';
import type { MemoryService } from '../../memory/memory-service.ts';
import type { Runtime } from '../../runtime.ts';
import { cutText } from '../../text/cut-text.ts';
import { escapeInvisible } from '../../text/escape-invisible.ts';
import { fenceData } from '../../text/fence-data.ts';
import { defineServedTool, reads, type ServedTool } from '../served-tool.ts';

/** Maximum characters of one part: a very long line is one, too. */
const MAX_TEXT = 4000;

/** `search_memory`: searches the files that are indexed. */
export const searchMemoryTool = (deps: {
  memory: Pick<MemoryService, 'search'>;
  runtime: Pick<Runtime, 'newSecret'>;
}): ServedTool =>
  defineServedTool({
    name: 'search_memory',
    title: 'Search the memory',
    description:
      'Searches the files that svc has indexed, by a question or keywords. Answers with parts of files, their paths and lines.',
    hints: reads,
    scopes: ['memory:read'],
    input: z.strictObject({
      query: z.string().min(1).max(10_000).meta({ description: 'A question or keywords' }),
      maxResults: z.int().min(1).max(20).default(6),
      under: searchMemorySchema.shape.under,
    }),
    output: z.object({
      method: searchMethodSchema,
      stale: z.boolean().meta({ description: 'Files may have changed since the last sync' }),
      chunks: z.array(z.object(scoredChunkSchema.omit({ id: true }).shape)),
    }),
    run: async ({ query, maxResults, under }) => {
      const found = await deps.memory.search({
        query,
        maxResults,
        minScore: 0,
        ...(under !== undefined && { under }),
      });
      const chunks = found.chunks.map(({ text, path, startLine, endLine, score, heading, stale }) => ({
        path,
        startLine,
        endLine,
        score,
        ...(heading !== undefined && { heading }),
        ...(stale && { stale }),
        text: cutText(text, MAX_TEXT),
      }));
      const parts = chunks.map(
        ({ path, startLine, endLine, text }) => `${escapeInvisible(path)}:${startLine}-${endLine}\n${text}`,
      );
      return {
        structured: { method: found.method, stale: found.stale, chunks },
        text:
          parts.length === 0 ? 'Nothing found.' : fenceData(deps.runtime, 'The memory', parts.join('\n\n')),
      };
    },
  });
