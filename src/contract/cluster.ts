import { z } from 'zod';
import { timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

const daemonSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    host: z.string().meta({ description: 'The machine whose files it sees' }),
    version: z.string(),
    role: z
      .enum(['all', 'api', 'worker'])
      .meta({ description: '`api` runs no agents, `worker` serves health only' }),
    labels: z.array(z.string()),
    agents: z.array(z.string()).meta({ description: 'Types of the agents that are ready' }),
    startedAt: timestampSchema,
    lastSeenAt: timestampSchema,
    running: z.int().meta({ description: 'Tasks that it runs' }),
    slots: z.int().meta({ description: 'Tasks that it can run at the same time' }),
    drained: z.boolean().meta({ description: 'Takes no more tasks, and has finished those it had' }),
    state: z
      .enum(['ready', 'draining', 'silent'])
      .meta({ description: '`draining`: takes no more tasks; `silent`: not seen for 30 seconds' }),
  })
  .meta({ id: 'ClusterDaemon' });
export type ClusterDaemon = z.output<typeof daemonSchema>;

export const clusterSchema = z
  .object({
    mode: z.enum(['mini', 'pro']).meta({ description: '`mini`: one daemon with a database of its own' }),
    answeredBy: z.string().meta({ description: 'ID of the daemon that sent this response' }),
    daemons: z.array(daemonSchema),
  })
  .meta({ id: 'Cluster' });
export type ClusterReport = z.output<typeof clusterSchema>;

const drainBody = z.object({
  timeoutSeconds: z
    .int()
    .min(0)
    .max(604_800)
    .optional()
    .meta({ description: 'Runs that take longer are stopped and queued again; no limit unless set' }),
  stop: z.boolean().default(false).meta({ description: 'Whether the daemon then stops' }),
});
export type DrainBody = z.output<typeof drainBody>;

const params = z.object({ id: z.string() });

export const clusterRoutes = defineRoutes({
  get: {
    method: 'GET',
    path: '/api/cluster',
    access: 'admin',
    summary: 'List the daemons of the cluster',
    response: clusterSchema,
  },
  drain: {
    method: 'POST',
    path: '/api/cluster/daemons/:id/drain',
    access: 'admin',
    summary: 'Make a daemon take no more tasks',
    params,
    body: drainBody,
    response: daemonSchema,
  },
  resume: {
    method: 'POST',
    path: '/api/cluster/daemons/:id/resume',
    access: 'admin',
    summary: 'Make a daemon take tasks again',
    params,
    response: daemonSchema,
  },
});
