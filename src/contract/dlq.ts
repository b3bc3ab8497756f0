import { z } from 'zod';
import {
  idParamsSchema,
  limitSchema,
  messageSchema,
  offsetSchema,
  pageFields,
  timestampSchema,
} from './primitives.ts';
import { defineRoutes } from './route.ts';
import { failureClassSchema } from './task.ts';

export const deadLetterSchema = z
  .object({
    id: z.string(),
    taskId: z.string(),
    title: z.string(),
    attempts: z.int(),
    class: failureClassSchema,
    firstError: z.string(),
    lastError: z.string(),
    createdAt: timestampSchema,
    status: z.enum(['pending', 'resolved', 'discarded']),
    resolution: z.enum(['retried', 'manual']).optional(),
    note: z.string().optional(),
    resolvedAt: timestampSchema.optional(),
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetter = z.output<typeof deadLetterSchema>;

export const listDeadLettersQuerySchema = z.object({
  status: z.enum(['pending', 'resolved', 'discarded', 'all']).default('pending'),
  limit: limitSchema(50),
  offset: offsetSchema.default(0),
});
export type ListDeadLettersQuery = z.output<typeof listDeadLettersQuerySchema>;

const itemSchema = messageSchema.extend({ item: deadLetterSchema });

export const dlqRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/dlq',
    access: 'session',
    summary: 'List dead letters',
    query: listDeadLettersQuerySchema,
    response: z.object({ items: z.array(deadLetterSchema), ...pageFields }),
  },
  get: {
    method: 'GET',
    path: '/api/dlq/:id',
    access: 'session',
    summary: 'Get a dead letter',
    params: idParamsSchema,
    response: z.object({ item: deadLetterSchema }),
  },
  retry: {
    method: 'POST',
    path: '/api/dlq/:id/retry',
    access: 'session',
    summary: 'Requeue the task of a dead letter',
    params: idParamsSchema,
    response: itemSchema,
  },
  discard: {
    method: 'POST',
    path: '/api/dlq/:id/discard',
    access: 'session',
    summary: 'Discard a dead letter',
    params: idParamsSchema,
    response: itemSchema,
  },
  resolve: {
    method: 'POST',
    path: '/api/dlq/:id/resolve',
    access: 'session',
    summary: 'Resolve a dead letter manually',
    params: idParamsSchema,
    body: z.object({ note: z.string().max(2000).optional() }).default({}),
    response: itemSchema,
  },
});
