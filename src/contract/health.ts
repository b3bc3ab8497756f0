import { z } from 'zod';
import { clusterSchema } from './cluster.ts';
import { timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

export const healthLevelSchema = z.enum(['healthy', 'degraded', 'unhealthy']);
export type HealthLevel = z.output<typeof healthLevelSchema>;

const component = <T extends z.ZodRawShape>(shape: T) =>
  z.object({
    status: healthLevelSchema,
    message: z.string(),
    lastChecked: timestampSchema,
    ...shape,
  });

export const queueCountsSchema = z.object({
  pending: z.int(),
  queued: z.int(),
  inProgress: z.int(),
  completed: z.int(),
  failed: z.int(),
});

export const healthReportSchema = z
  .object({
    status: healthLevelSchema,
    version: z.string(),
    timestamp: timestampSchema,
    uptime: z.number().meta({ description: 'Seconds since the daemon started' }),
    components: z.object({
      queue: component({ details: queueCountsSchema.extend({ active: z.int() }) }),
      adapters: component({
        list: z.array(
          z.object({
            type: z.string(),
            name: z.string(),
            healthy: z.boolean(),
            latencyMs: z.number().optional(),
          }),
        ),
      }),
      circuitBreakers: component({
        list: z.array(
          z.object({
            name: z.string(),
            state: z.enum(['closed', 'open', 'half-open']),
            failures: z.int(),
            successes: z.int(),
          }),
        ),
      }),
      deadLetterQueue: component({
        details: z.object({ pending: z.int(), resolved: z.int(), discarded: z.int(), total: z.int() }),
      }),
      storage: component({
        details: z.object({
          fault: z.string().optional().meta({
            description: 'What keeps the daemon from storing anything, such as `full` or `missing`',
          }),
          databaseBytes: z.int(),
          diskFreeBytes: z
            .int()
            .optional()
            .meta({ description: 'Not known of the disk of a database server' }),
        }),
      }),
      backups: component({
        details: z.object({
          every: z.string().optional().meta({ description: 'How often, where backups are scheduled' }),
          lastAt: timestampSchema.optional(),
          lastBytes: z.int().optional(),
        }),
      }),
      redis: component({
        details: z.object({
          state: z.enum(['up', 'away']),
          since: timestampSchema.optional().meta({ description: 'Since when it is away' }),
        }),
      })
        .optional()
        .meta({ description: 'In mode pro' }),
      commandSandbox: component({
        details: z.object({
          sandboxed: z.boolean().meta({ description: 'Whether tool commands run in a sandbox' }),
        }),
      }),
    }),
    cluster: clusterSchema.optional().meta({ description: 'The daemons, in mode pro' }),
    system: z.object({
      platform: z.string(),
      nodeVersion: z.string(),
      memory: z.object({ used: z.number(), total: z.number(), percentage: z.number() }),
      cpu: z.object({ loadAverage: z.array(z.number()) }),
    }),
  })
  .meta({ id: 'HealthReport' });
export type HealthReport = z.output<typeof healthReportSchema>;

export const metricsSchema = z
  .object({
    requests: z.object({ total: z.int(), perSecond: z.number() }),
    errors: z.object({ total: z.int(), rate: z.number() }),
    endpoints: z.array(
      z.object({
        method: z.string(),
        route: z.string(),
        count: z.int(),
        errors: z.int(),
        p50: z.number(),
        p95: z.number(),
        p99: z.number(),
      }),
    ),
  })
  .meta({ id: 'Metrics' });
export type Metrics = z.output<typeof metricsSchema>;

const readySchema = z.object({
  status: z
    .enum(['ready', 'starting', 'draining', 'stopping', 'unavailable'])
    .meta({ description: '`unavailable`: nothing can be stored; `draining`: takes no more tasks' }),
  timestamp: timestampSchema,
  reason: z.string().optional().meta({ description: 'What is wrong and what to do' }),
});

export const healthRoutes = defineRoutes({
  get: {
    method: 'GET',
    path: '/api/health',
    access: 'public',
    summary: 'Check that the daemon is running',
    response: z.object({ status: z.literal('ok'), timestamp: timestampSchema }),
  },
  getDetailed: {
    method: 'GET',
    path: '/api/health/detailed',
    access: 'session',
    summary: 'Get the health of every component',
    response: healthReportSchema,
    also: { 503: healthReportSchema },
  },
  getReady: {
    method: 'GET',
    path: '/api/health/ready',
    access: 'public',
    summary: 'Check that the daemon is ready',
    response: readySchema,
    also: { 503: readySchema },
  },
  getMetrics: {
    method: 'GET',
    path: '/api/health/metrics',
    access: 'session',
    scopes: ['metrics:read'],
    summary: 'Get request rates, error rates and latencies per endpoint',
    response: metricsSchema,
    text: true,
  },
});
