import { z } from 'zod';
import { choiceSchema } from './best-of.ts';
import {
  commaList,
  idParamsSchema,
  limitSchema,
  messageSchema,
  momentSchema,
  offsetSchema,
  queryInt,
  timestampSchema,
  warningsSchema,
} from './primitives.ts';
import { defineRoutes } from './route.ts';
import { idempotencyHeader } from './route-errors.ts';
import { taskChangesRoutes } from './task-changes.ts';
import { taskTraceRoutes } from './task-trace.ts';
import {
  candidateSchema,
  createTaskSchema,
  exportedTaskSchema,
  listedFields,
  listedTaskSchema,
  prioritySchema,
  taskEventSchema,
  taskSchema,
  taskSourceSchema,
  taskStatusSchema,
} from './task.ts';
import {
  rangeHeadersSchema,
  searchOutputQuerySchema,
  searchOutputResultSchema,
  taskOutputQuerySchema,
} from './task-output.ts';
import { taskChecksSchema } from './verification.ts';

/** Identifies a request, so that it takes effect once even if it is sent twice. */
export const idempotencyHeaders = z.object({ [idempotencyHeader]: z.string().min(1).max(255).optional() });

export const listTasksQuerySchema = z.object({
  status: taskStatusSchema.optional(),
  limit: limitSchema(50),
  offset: offsetSchema.optional(),
  cursor: z.string().max(1000).optional(),
  fields: commaList(z.enum(listedFields)).optional(),
  full: z.stringbool().optional(),
});
export type ListTasksQuery = z.output<typeof listTasksQuerySchema>;

export const filterTasksQuerySchema = z.object({
  status: commaList(taskStatusSchema).optional(),
  priority: commaList(z.string().regex(/^\d$/).transform(Number).pipe(prioritySchema)).optional(),
  source: commaList(taskSourceSchema).optional(),
  sourceId: z.string().max(500).optional().meta({
    description: 'The ID at its source: the tasks of a schedule have the ID of the schedule',
  }),
  agent: z.string().max(100).optional(),
  labels: commaList(z.string().max(100)).optional(),
  createdAfter: momentSchema.optional(),
  createdBefore: momentSchema.optional(),
  completedAfter: momentSchema.optional(),
  completedBefore: momentSchema.optional(),
  repository: z.string().max(200).optional(),
  cwd: z
    .string()
    .max(4096)
    .startsWith('/', 'Expected an absolute path')
    .optional()
    .meta({ description: 'Tasks that work in this directory or below it' }),
  q: z.string().max(1000).optional(),
  sortBy: z.enum(['createdAt', 'updatedAt', 'priority', 'completedAt']).default('createdAt'),
  sortOrder: z.enum(['asc', 'desc']).default('desc'),
  limit: limitSchema(50),
  offset: offsetSchema.optional(),
  cursor: z.string().max(1000).optional(),
  fields: commaList(z.enum(listedFields)).optional(),
  full: z.stringbool().optional(),
});
export type FilterTasksQuery = z.output<typeof filterTasksQuerySchema>;

const page = {
  total: z.int(),
  totalIsLowerBound: z.literal(true).optional().meta({
    description: 'There are at least `total` tasks; filters that have many are not counted to the end',
  }),
  limit: z.int(),
  nextCursor: z.string().optional(),
};
const taskWithMessageSchema = z.object({ message: z.string(), task: taskSchema });
const newTaskSchema = taskWithMessageSchema.extend({ warnings: warningsSchema.optional() });
const agentCountsSchema = z.object({
  count: z.int(),
  completed: z.int(),
  failed: z.int(),
  avgDuration: z.number().optional(),
});

const usedSchema = z.object({ tokens: z.int(), costUsd: z.number() });
const usedBySchema = usedSchema.extend({ name: z.string(), tasks: z.int() });

export const taskAnalyticsSchema = z
  .object({
    total: z.int(),
    byStatus: z.record(z.string(), z.int()),
    byPriority: z.record(z.string(), z.int()),
    bySource: z.record(z.string(), z.int()),
    byAgent: z.record(z.string(), agentCountsSchema),
    successRate: z.number().meta({ description: 'Share of finished tasks that completed, 0 to 1' }),
    failureRate: z.number().meta({ description: 'Share of finished tasks that failed, 0 to 1' }),
    duration: z.object({ avg: z.number(), p50: z.number(), p95: z.number(), max: z.number() }),
    daily: z.array(
      z.object({
        date: z.iso.date(),
        created: z.int(),
        completed: z.int(),
        failed: z.int(),
        p50: z
          .number()
          .optional()
          .meta({ description: 'Median duration of completed tasks in milliseconds' }),
        p95: z.number().optional(),
        ...usedSchema.shape,
      }),
    ),
    failures: z.record(z.string(), z.int()).meta({
      description: 'Tasks of these days that failed, by class; of the newest 10,000 finished tasks',
    }),
    usage: z
      .object({
        tasks: z.int().meta({ description: 'How many finished tasks of these days it is taken from' }),
        isComplete: z.boolean().meta({ description: 'false where only the newest finished tasks were read' }),
        byAgent: z.array(usedBySchema),
        byModel: z.array(usedBySchema),
      })
      .meta({ description: 'What models used, as far as agents report it; per day in `daily`' }),
  })
  .meta({ id: 'TaskAnalytics' });
export type TaskAnalytics = z.output<typeof taskAnalyticsSchema>;

export const taskExportSchema = z
  .object({
    version: z.literal('1'),
    exportedAt: timestampSchema,
    taskCount: z.int(),
    tasks: z.array(exportedTaskSchema),
  })
  .meta({ id: 'TaskExport' });

export const importTasksSchema = z.object({
  version: z.literal('1', { error: 'This daemon imports version "1"' }),
  tasks: z.array(z.unknown()).max(1_000_000),
});
export const importReportSchema = messageSchema.extend({
  imported: z.int(),
  skipped: z.int(),
  errors: z.array(z.object({ index: z.int(), error: z.string() })),
});
export type ImportReport = z.output<typeof importReportSchema>;

export const taskEventsQuerySchema = z.object({
  after: queryInt(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: limitSchema(1000, 5000),
  follow: z.stringbool().optional(),
});

/** The scope to write tasks includes reading them. */
const mayRead = ['tasks:read', 'tasks:write'] as const;
const mayWrite = ['tasks:write'] as const;

export const tasksRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/tasks',
    access: 'session',
    scopes: mayRead,
    summary: 'List tasks, newest first',
    errors: [503],
    query: listTasksQuerySchema,
    response: z.object({ tasks: z.array(listedTaskSchema), count: z.int(), ...page }),
  },
  create: {
    method: 'POST',
    path: '/api/tasks',
    access: 'session',
    scopes: mayWrite,
    summary: 'Create a task',
    headers: idempotencyHeaders,
    body: createTaskSchema,
    status: 201,
    response: newTaskSchema,
    also: { 200: newTaskSchema },
  },
  filter: {
    method: 'GET',
    path: '/api/tasks/filter',
    access: 'session',
    scopes: mayRead,
    summary: 'Filter tasks',
    errors: [503],
    query: filterTasksQuerySchema,
    response: z.object({ tasks: z.array(listedTaskSchema), offset: z.int(), ...page }),
  },
  getAnalytics: {
    method: 'GET',
    path: '/api/tasks/analytics',
    access: 'session',
    summary: 'Get task statistics',
    errors: [503],
    query: z.object({ days: queryInt(1, 365).default(30) }),
    response: taskAnalyticsSchema,
  },
  export: {
    method: 'GET',
    path: '/api/tasks/export',
    access: 'session',
    summary: 'Export all tasks as JSON',
    response: taskExportSchema,
  },
  import: {
    method: 'POST',
    path: '/api/tasks/import',
    access: 'admin',
    summary: 'Import tasks from an export',
    body: importTasksSchema,
    itemsLaterIn: 'tasks',
    bodyLimit: 64 * 1024 * 1024,
    response: importReportSchema,
  },
  get: {
    method: 'GET',
    path: '/api/tasks/:id',
    access: 'session',
    scopes: mayRead,
    summary: 'Get a task',
    params: idParamsSchema,
    response: z.object({
      task: taskSchema,
      session: z
        .object({ agent: z.string(), id: z.string(), version: z.string().optional() })
        .optional()
        .meta({ description: 'The session of its agent, with the version of the agent' }),
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/api/tasks/:id',
    access: 'session',
    scopes: mayWrite,
    summary: 'Delete a finished task, its events and its workspace',
    errors: [409],
    params: idParamsSchema,
    response: messageSchema,
  },
  cancel: {
    method: 'POST',
    path: '/api/tasks/:id/cancel',
    access: 'session',
    scopes: mayWrite,
    summary: 'Cancel an unfinished task',
    errors: [503],
    params: idParamsSchema,
    response: taskWithMessageSchema,
  },
  retry: {
    method: 'POST',
    path: '/api/tasks/:id/retry',
    access: 'session',
    scopes: mayWrite,
    summary: 'Retry a finished task as a new task',
    params: idParamsSchema,
    response: taskWithMessageSchema.extend({ originalTaskId: z.string() }),
  },
  release: {
    method: 'POST',
    path: '/api/tasks/:id/release',
    access: 'session',
    summary: 'Release an imported task',
    params: idParamsSchema,
    response: taskWithMessageSchema,
  },
  getCandidates: {
    method: 'GET',
    path: '/api/tasks/:id/candidates',
    access: 'session',
    scopes: mayRead,
    summary: 'Get the candidates of a task with `bestOf`',
    params: idParamsSchema,
    response: z.object({ candidates: z.array(candidateSchema), choice: choiceSchema.optional() }),
  },
  pick: {
    method: 'POST',
    path: '/api/tasks/:id/pick',
    access: 'session',
    summary: 'Choose a candidate of a task that a person decides on',
    params: idParamsSchema,
    body: z.object({ candidateId: z.string().min(1).max(100) }),
    response: messageSchema.extend({ choice: choiceSchema }),
  },
  ...taskChangesRoutes,
  ...taskTraceRoutes,
  getChecks: {
    method: 'GET',
    path: '/api/tasks/:id/checks',
    access: 'session',
    scopes: mayRead,
    summary: 'Get how the commands that verify a task ended, round by round',
    params: idParamsSchema,
    response: taskChecksSchema,
  },
  getOutput: {
    method: 'GET',
    path: '/api/tasks/:id/output',
    access: 'session',
    scopes: mayRead,
    summary: 'Get the output of a task, byte for byte',
    params: idParamsSchema,
    query: taskOutputQuerySchema,
    headers: rangeHeadersSchema,
    file: 'application/octet-stream',
    text: true,
    ranges: true,
    response: z.string().meta({
      description: 'The bytes, as they were written; the header `Output-Size` has the size of the stream',
    }),
  },
  searchOutput: {
    method: 'GET',
    path: '/api/tasks/:id/output/search',
    access: 'session',
    scopes: mayRead,
    summary: 'Find a text in the output of a task',
    params: idParamsSchema,
    query: searchOutputQuerySchema,
    response: searchOutputResultSchema,
  },
  listEvents: {
    method: 'GET',
    path: '/api/tasks/:id/events',
    access: 'session',
    scopes: mayRead,
    summary: 'List or stream the events of a task',
    params: idParamsSchema,
    query: taskEventsQuerySchema,
    headers: z.object({ 'last-event-id': z.string().max(20).optional() }),
    response: z.object({
      taskId: z.string(),
      events: z.array(taskEventSchema),
      count: z.int(),
      hasMore: z.boolean(),
    }),
    events: taskEventSchema,
  },
});
