import { z } from 'zod';
import { defineTool, type Tool } from '../tool.ts';

/** `memory_search`: not available before there is a memory to search. */
export const memorySearchTool = (): Tool =>
  defineTool({
    name: 'memory_search',
    description: 'Searches what was indexed and learned before, by keywords or a question.',
    input: z.object({ query: z.string().trim().min(1).max(1000), limit: z.int().min(1).max(20).optional() }),
    isReadOnly: true,
    danger: 'low',
    unavailable: () => 'this service has no memory yet',
    plan: () => ({ access: {}, run: async () => ({ content: 'not available' }) }),
  });
