import { z } from 'zod';
import { jsonObjectSchema, pageFields, pageQuerySchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

/** The worst effect of a call: read, change the workspace or use the network, run programs. */
export const dangerSchema = z.enum(['low', 'medium', 'high']);
export type Danger = z.output<typeof dangerSchema>;

export const toolSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    inputSchema: jsonObjectSchema.meta({ description: 'JSON Schema of the arguments' }),
    readOnly: z.boolean(),
    danger: dangerSchema,
    source: z.enum(['builtin', 'mcp']),
    server: z.string().optional().meta({ description: 'MCP server that provides the tool' }),
    available: z.boolean(),
    reason: z.string().optional().meta({ description: 'Why the tool is not available' }),
  })
  .meta({ id: 'Tool' });
export type ToolInfo = z.output<typeof toolSchema>;

export const toolServerSchema = z
  .object({
    name: z.string(),
    transport: z.enum(['stdio', 'http']),
    connected: z.boolean(),
    tools: z.int(),
    message: z.string().optional(),
  })
  .meta({ id: 'ToolServer' });
export type ToolServer = z.output<typeof toolServerSchema>;

export const toolsRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/tools',
    access: 'session',
    summary: 'List tools and MCP servers',
    query: pageQuerySchema,
    response: z.object({ tools: z.array(toolSchema), servers: z.array(toolServerSchema), ...pageFields }),
  },
});
