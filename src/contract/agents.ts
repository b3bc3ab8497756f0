import { z } from 'zod';
import { timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

/** A right that the creator of an agent's work needs; `command`: to run commands, because it runs programs with the daemon's rights. */
const agentNeedSchema = z.enum(['command']);
export type AgentNeed = z.output<typeof agentNeedSchema>;

export const agentSchema = z
  .object({
    type: z.string(),
    name: z.string(),
    description: z.string(),
    capabilities: z.array(z.string()),
    needs: z.array(agentNeedSchema).optional().meta({
      description:
        "Rights that the creator of its work needs. `command`: it runs programs with the daemon's rights, so only administrators and tokens with the scope agents:command may use it",
    }),
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
    response: z.object({
      types: z.array(z.string()),
      needs: z
        .record(z.string(), z.array(agentNeedSchema))
        .optional()
        .meta({ description: 'Types that need something, and what' }),
    }),
  },
});
