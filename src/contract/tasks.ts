import { z } from 'zod';
import { changesSchema, undoReportSchema, undoSchema } from './changes.ts';
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
import {
  createTaskSchema,
  exportedTaskSchema,
  listedTaskSchema,
  prioritySchema,
  taskEventSchema,
  taskFields,
  taskSchema,
  taskSourceSchema,
  taskStatusSchema,
} from './task.ts';
import { taskOutputQuerySchema } from './task-output.ts';

/** Identifies a request, so that it takes effect once even if it is sent twice. */
export const idempotencyHeaders = z.object({ [idempotencyHeader]: z.string().min(1).max(255).optional() });

export const listTasksQuerySchema = z.object({
  status: taskStatusSchema.optional(),
  limit: limitSchema(50),
  offset: offsetSchema.optional(),
  cursor: z.string().max(1000).optional(),
  fields: commaList(z.enum(taskFields)).optional(),
  full: z.stringbool().optional(),
});
export type ListTasksQuery = z.output<typeof listTasksQuerySchema>;

export const filterTasksQuerySchema = z.object({
  status: commaList(taskStatusSchema).optional(),
  priority: commaList(z.string().regex(/^\d$/).transform(Number).pipe(prioritySchema)).optional(),
  source: commaList(taskSourceSchema).optional(),
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
  fields: commaList(z.enum(taskFields)).optional(),
  full: z.stringbool().optional(),
});
export type FilterTasksQuery = z.output<typeof filterTasksQuerySchema>;

const page = { total: z.int(), limit: z.int(), nextCursor: z.string().optional() };
const taskWithMessageSchema = z.object({ message: z.string(), task: taskSchema });
const newTaskSchema = taskWithMessageSchema.extend({ warnings: warningsSchema.optional() });
const agentCountsSchema = z.object({
  count: z.int(),
  completed: z.int(),
  failed: z.int(),
  avgDuration: z.number().optional(),
});

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
    daily: z.array(z.object({ date: z.iso.date(), created: z.int(), completed: z.int(), failed: z.int() })),
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
    query: filterTasksQuerySchema,
    response: z.object({ tasks: z.array(listedTaskSchema), offset: z.int(), ...page }),
  },
  getAnalytics: {
    method: 'GET',
    path: '/api/tasks/analytics',
    access: 'session',
    summary: 'Get task statistics',
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
    response: z.object({ task: taskSchema }),
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
  getChanges: {
    method: 'GET',
    path: '/api/tasks/:id/changes',
    access: 'session',
    summary: 'Get the files that the run of a task changed, with their patches',
    params: idParamsSchema,
    response: changesSchema,
  },
  undo: {
    method: 'POST',
    path: '/api/tasks/:id/undo',
    access: 'session',
    summary: 'Restore the files that the run of a task changed',
    params: idParamsSchema,
    body: undoSchema,
    response: undoReportSchema,
  },
  getOutput: {
    method: 'GET',
    path: '/api/tasks/:id/output',
    access: 'session',
    scopes: mayRead,
    summary: 'Get the output of a task, byte for byte',
    params: idParamsSchema,
    query: taskOutputQuerySchema,
    file: 'application/octet-stream',
    response: z.string().meta({ description: 'The bytes, as they were written' }),
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
