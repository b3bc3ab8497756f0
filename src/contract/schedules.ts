import { z } from 'zod';
import {
  idParamsSchema,
  limitSchema,
  messageSchema,
  offsetSchema,
  pageFields,
  timestampSchema,
  warningsSchema,
  timeZoneSchema,
} from './primitives.ts';
import { defineRoutes } from './route.ts';
import { taskEnvironmentPatchSchema } from './task-environment.ts';
import { createTaskSchema, taskSchema, taskStatusSchema } from './task.ts';
import { idempotencyHeaders } from './tasks.ts';

export const overlapSchema = z.enum(['skip', 'queue', 'cancel_previous']);
export const catchUpSchema = z.enum(['skip', 'run_once']);

/** The task of each occurrence: the fields of a new task except those that only one task can have. */
export const scheduledTaskSchema = createTaskSchema.omit({
  source: true,
  sourceId: true,
  sourceUrl: true,
  idempotencyKey: true,
  attached: true,
  env: true,
});
export type ScheduledTask = z.output<typeof scheduledTaskSchema>;

const newScheduledTaskSchema = scheduledTaskSchema.extend({ env: createTaskSchema.shape.env });
const changedScheduledTaskSchema = scheduledTaskSchema.extend({
  env: taskEnvironmentPatchSchema.optional().meta({
    description: 'Environment variables to set, or to remove by `null`; those that are not named are kept',
  }),
});
const shownScheduledTaskSchema = scheduledTaskSchema.extend({
  envNames: taskSchema.shape.envNames,
});

const cronSchema = z.string().trim().min(1).max(200).meta({
  description: 'Five or six fields, or a macro such as `@daily`; the first of six fields is seconds',
});
/** Accepts the format of `date -Iminutes`, which omits seconds. */
const withSeconds = (text: string) => text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?=Z|[+-])/, '$1:00');
const policy = {
  overlap: overlapSchema.meta({
    description:
      'If the previous occurrence is not finished: skip this one, queue it, or cancel the previous one',
  }),
  catchUp: catchUpSchema.meta({
    description: 'If the daemon was not running at the time: skip, or run once',
  }),
  maxFailures: z.int().min(0).max(1000).meta({
    description: 'Consecutive failures after which the schedule pauses; 0 never pauses',
  }),
};

export const scheduleSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    cron: z.string().optional(),
    at: timestampSchema.optional(),
    timezone: z.string(),
    task: shownScheduledTaskSchema,
    ...policy,
    status: z
      .enum(['active', 'paused', 'done'])
      .meta({ description: '`done`: its only occurrence is in the past' }),
    pausedReason: z.string().optional(),
    nextRunAt: timestampSchema.optional(),
    nextRuns: z.array(timestampSchema).meta({ description: 'The next five occurrences while it is active' }),
    lastRunAt: timestampSchema.optional(),
    lastTaskId: z.string().optional(),
    lastStatus: taskStatusSchema.optional(),
    runCount: z.int(),
    skippedCount: z
      .int()
      .meta({ description: 'Occurrences skipped because the previous one was not finished' }),
    misfireCount: z
      .int()
      .meta({ description: 'Occurrences missed by the daemon, counted up to 100 at once' }),
    failureCount: z.int().meta({ description: 'Consecutive failures' }),
    waitingCount: z.int().meta({ description: 'Occurrences that wait for the previous one' }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.output<typeof scheduleSchema>;

const nameSchema = z.string().trim().min(1).max(200);
const momentSchema = z
  .string()
  .trim()
  .transform(withSeconds)
  .pipe(
    z.iso.datetime({
      offset: true,
      local: true,
      error: 'Expected an ISO 8601 date-time such as 2026-12-24T18:00 or 2026-12-24T18:00:00+01:00',
    }),
  )
  .meta({ description: 'ISO 8601; without an offset, local time of the time zone' });

export const createScheduleSchema = z
  .object({
    name: nameSchema.optional().meta({ description: 'Defaults to the title of its task' }),
    cron: cronSchema.optional(),
    at: momentSchema.optional(),
    timezone: timeZoneSchema.optional().meta({ description: 'Defaults to the time zone of the daemon' }),
    task: newScheduledTaskSchema,
    overlap: policy.overlap.default('skip'),
    catchUp: policy.catchUp.default('run_once'),
    maxFailures: policy.maxFailures.default(5),
    active: z.boolean().default(true),
  })
  .refine(({ cron, at }) => (cron === undefined) !== (at === undefined), {
    message: 'Give either cron or at',
    path: ['cron'],
  });
export type CreateSchedule = z.output<typeof createScheduleSchema>;

export const updateScheduleSchema = z
  .object({
    name: nameSchema.optional(),
    cron: cronSchema.optional(),
    at: momentSchema.optional(),
    timezone: timeZoneSchema.optional(),
    task: changedScheduledTaskSchema.optional(),
    overlap: policy.overlap.optional(),
    catchUp: policy.catchUp.optional(),
    maxFailures: policy.maxFailures.optional(),
    active: z.boolean().optional().meta({ description: 'false pauses the schedule, true resumes it' }),
  })
  .refine(({ cron, at }) => cron === undefined || at === undefined, {
    message: 'Give either cron or at',
    path: ['cron'],
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'Nothing to change');
export type UpdateSchedule = z.output<typeof updateScheduleSchema>;

export const previewScheduleSchema = z
  .object({
    cron: cronSchema.optional(),
    at: momentSchema.optional(),
    timezone: timeZoneSchema.optional(),
    count: z.int().min(1).max(100).default(5),
  })
  .refine(({ cron, at }) => (cron === undefined) !== (at === undefined), {
    message: 'Give either cron or at',
    path: ['cron'],
  });
export type PreviewSchedule = z.output<typeof previewScheduleSchema>;

export const listSchedulesQuerySchema = z.object({
  status: scheduleSchema.shape.status.optional(),
  limit: limitSchema(50),
  offset: offsetSchema.default(0),
});
export type ListSchedulesQuery = z.output<typeof listSchedulesQuerySchema>;

const scheduleAnswer = z.object({ schedule: scheduleSchema });
const changedSchedule = scheduleAnswer.extend({ warnings: warningsSchema.optional() });
const mayRead = ['tasks:read', 'tasks:write'] as const;
const mayWrite = ['tasks:write'] as const;

export const schedulesRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/schedules',
    access: 'session',
    scopes: mayRead,
    summary: 'List schedules, next occurrence first',
    query: listSchedulesQuerySchema,
    response: z.object({
      schedules: z.array(scheduleSchema),
      ...pageFields,
    }),
  },
  create: {
    method: 'POST',
    path: '/api/schedules',
    access: 'session',
    scopes: mayWrite,
    summary: 'Create a schedule',
    headers: idempotencyHeaders,
    body: createScheduleSchema,
    status: 201,
    response: changedSchedule,
    also: { 200: changedSchedule },
  },
  preview: {
    method: 'POST',
    path: '/api/schedules/preview',
    access: 'session',
    scopes: mayRead,
    summary: 'Preview the occurrences of a schedule',
    body: previewScheduleSchema,
    response: z.object({ timezone: z.string(), nextRuns: z.array(timestampSchema) }),
  },
  get: {
    method: 'GET',
    path: '/api/schedules/:id',
    access: 'session',
    scopes: mayRead,
    summary: 'Get a schedule with its next five occurrences',
    params: idParamsSchema,
    response: scheduleAnswer,
  },
  update: {
    method: 'PATCH',
    path: '/api/schedules/:id',
    access: 'session',
    scopes: mayWrite,
    summary: 'Update, pause or resume a schedule',
    params: idParamsSchema,
    body: updateScheduleSchema,
    response: changedSchedule,
  },
  run: {
    method: 'POST',
    path: '/api/schedules/:id/run',
    access: 'session',
    scopes: mayWrite,
    summary: 'Run a schedule now',
    params: idParamsSchema,
    status: 201,
    response: z.object({
      task: taskSchema.optional().meta({ description: 'Absent while it waits for the previous occurrence' }),
      schedule: scheduleSchema,
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/api/schedules/:id',
    access: 'session',
    scopes: mayWrite,
    summary: 'Delete a schedule; its tasks are kept',
    params: idParamsSchema,
    response: messageSchema,
  },
});
