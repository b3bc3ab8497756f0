import { z } from 'zod';
import { idParamsSchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { taskStatusSchema } from './task.ts';

export const traceKindSchema = z.enum([
  'task',
  'wait',
  'attempt',
  'step',
  'model',
  'tool',
  'approval',
  'verification',
]);
export type TraceKind = z.output<typeof traceKindSchema>;

export const traceSpanSchema = z.object({
  id: z.string(),
  parent: z.string().optional().meta({ description: 'The span that contains it; absent for the task' }),
  name: z.string(),
  kind: traceKindSchema,
  startedAt: timestampSchema,
  durationMs: z.int().meta({ description: 'Until now while its status is `running`' }),
  status: z.enum(['ok', 'error', 'cancelled', 'interrupted', 'running']).meta({
    description: '`interrupted`: the daemon stopped or gave the task back before it was over',
  }),
  attributes: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .meta({ description: 'Named as in the exported telemetry' }),
});
export type TraceSpan = z.output<typeof traceSpanSchema>;

export const taskTraceSchema = z
  .object({
    taskId: z.string(),
    status: taskStatusSchema,
    spans: z.array(traceSpanSchema).meta({ description: 'Each after the one that contains it' }),
    truncated: z
      .literal(true)
      .optional()
      .meta({ description: 'The task has more events than a trace reads; its last spans are missing' }),
  })
  .meta({ id: 'TaskTrace' });
export type TaskTrace = z.output<typeof taskTraceSchema>;

/** Where the time of a task went; part of the routes of tasks. */
export const taskTraceRoutes = defineRoutes({
  getTrace: {
    method: 'GET',
    path: '/api/tasks/:id/trace',
    access: 'session',
    scopes: ['tasks:read', 'tasks:write'],
    summary: 'Get where the time of a task went: waits, attempts, steps, model and tool calls',
    params: idParamsSchema,
    response: taskTraceSchema,
  },
});
