import { z } from 'zod';
import { queueCountsSchema } from './health.ts';
import { messageSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

const workersSchema = z.object({ running: z.boolean(), concurrency: z.int() });

export const queueStatusSchema = z
  .object({
    mode: z.enum(['memory', 'redis']),
    paused: z.boolean(),
    queues: z.object({ tasks: queueCountsSchema }),
    workers: z.object({ tasks: workersSchema, notifications: workersSchema }),
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
