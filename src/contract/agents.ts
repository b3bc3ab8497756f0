import { z } from 'zod';
import { timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

export const agentSchema = z
  .object({
    type: z.string(),
    name: z.string(),
    description: z.string(),
    capabilities: z.array(z.string()),
    configured: z.boolean(),
    healthy: z.boolean(),
    isDefault: z.boolean(),
    latencyMs: z.number().optional(),
    message: z.string().optional(),
    lastActivity: timestampSchema.optional(),
    stats: z.object({
      completed: z.int(),
      failed: z.int(),
      avgDuration: z.number().meta({ description: 'Milliseconds' }),
    }),
    configSchema: z.record(z.string(), z.json()).optional(),
  })
  .meta({ id: 'Agent' });
export type Agent = z.output<typeof agentSchema>;

export const agentsRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/agents',
    access: 'session',
    summary: 'List agents and check their health',
    response: z.object({ agents: z.array(agentSchema) }),
  },
  listTypes: {
    method: 'GET',
    path: '/api/agents/types',
    access: 'session',
    summary: 'List agent types',
    response: z.object({ types: z.array(z.string()) }),
  },
});
