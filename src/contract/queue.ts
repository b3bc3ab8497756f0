import { z } from 'zod';
import { queueCountsSchema } from './health.ts';
import { messageSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

/** Work of one pool shares its slots: `tasks`, `interactive`, `suspects`, or `agent:` and a type. */
const poolSchema = z.object({
  name: z.string(),
  slots: z.int(),
  running: z.int(),
  /** Due, without tasks that wait for a later time. */
  waiting: z.int(),
  /** Users whose work waits. */
  users: z.int(),
});
const limitsSchema = z.object({
  perUser: z.int().optional(),
  perUserAndAgent: z.int().optional(),
  agingMs: z.int(),
});

const workersSchema = z.object({ running: z.boolean(), concurrency: z.int() });

export const queueStatusSchema = z
  .object({
    mode: z.enum(['memory', 'redis']),
    paused: z.boolean(),
    queues: z.object({ tasks: queueCountsSchema }),
    workers: z.object({ tasks: workersSchema, notifications: workersSchema }),
    pools: z.array(poolSchema),
    limits: limitsSchema,
    deadLetterQueue: z.object({ pending: z.int(), resolved: z.int(), discarded: z.int(), total: z.int() }),
  })
  .meta({ id: 'QueueStatus' });
export type QueueStatus = z.output<typeof queueStatusSchema>;

const pausedSchema = messageSchema.extend({ paused: z.boolean() });

export const queueRoutes = defineRoutes({
  getStatus: {
    method: 'GET',
    path: '/api/queue/status',
    access: 'session',
    summary: 'Get the status of the queue',
    response: queueStatusSchema,
  },
  pause: {
    method: 'POST',
    path: '/api/queue/pause',
    access: 'admin',
    summary: 'Pause the queue',
    response: pausedSchema,
  },
  resume: {
    method: 'POST',
    path: '/api/queue/resume',
    access: 'admin',
    summary: 'Resume the queue',
    response: pausedSchema,
  },
});
