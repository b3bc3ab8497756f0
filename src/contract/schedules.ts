import { z } from 'zod';
import {
  idParamsSchema,
  limitSchema,
  messageSchema,
  offsetSchema,
  timeZoneSchema,
  timestampSchema,
} from './primitives.ts';
import { defineRoutes } from './route.ts';
import { createTaskSchema, taskSchema, taskStatusSchema } from './task.ts';

export const overlapSchema = z.enum(['skip', 'queue', 'cancel_previous']);
export const catchUpSchema = z.enum(['skip', 'run_once']);

/** What each run is: as for a new task, without what only one task can have. */
export const scheduledTaskSchema = createTaskSchema.omit({
  source: true,
  sourceId: true,
  sourceUrl: true,
  idempotencyKey: true,
});
export type ScheduledTask = z.output<typeof scheduledTaskSchema>;

const cronSchema = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .meta({ description: 'Five or six fields, or @daily and its like; a field before the five is seconds' });
/** As `date -Iminutes` writes it: seconds may be left out. */
const withSeconds = (text: string) => text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?=Z|[+-])/, '$1:00');
const policy = {
  overlap: overlapSchema.meta({
    description: 'When the run before has not ended: skip this one, queue it, or cancel the one before',
  }),
  catchUp: catchUpSchema.meta({
    description: 'When the daemon was off at the time: leave it out, or run once',
  }),
  maxFailures: z.int().min(0).max(1000).meta({
    description: 'Failed runs in a row after which it pauses by itself; 0 never',
  }),
};

export const scheduleSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    cron: z.string().optional(),
    at: timestampSchema.optional(),
    timezone: z.string(),
    task: scheduledTaskSchema,
    ...policy,
    status: z.enum(['active', 'paused', 'done']).meta({ description: 'done: its one time is over' }),
    pausedReason: z.string().optional(),
    nextRunAt: timestampSchema.optional(),
    nextRuns: z.array(timestampSchema).meta({ description: 'The next five, while it is active' }),
    lastRunAt: timestampSchema.optional(),
    lastTaskId: z.string().optional(),
    lastStatus: taskStatusSchema.optional(),
    runCount: z.int(),
    skippedCount: z.int().meta({ description: 'Left out because the run before had not ended' }),
    misfireCount: z
      .int()
      .meta({ description: 'Times at which the daemon could not run it, at most 100 at once' }),
    failureCount: z.int().meta({ description: 'Failed runs in a row' }),
    waitingCount: z.int().meta({ description: 'Runs that wait for the one before to end' }),
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
  .meta({ description: 'ISO 8601; without an offset it is a time of the time zone' });

export const createScheduleSchema = z
  .object({
    name: nameSchema.optional().meta({ description: 'The title of its task unless set' }),
    cron: cronSchema.optional(),
    at: momentSchema.optional(),
    timezone: timeZoneSchema.optional().meta({ description: 'That of the daemon unless set' }),
    task: scheduledTaskSchema,
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

export const changeScheduleSchema = z
  .object({
    name: nameSchema.optional(),
    cron: cronSchema.optional(),
    at: momentSchema.optional(),
    timezone: timeZoneSchema.optional(),
    task: scheduledTaskSchema.optional(),
    overlap: policy.overlap.optional(),
    catchUp: policy.catchUp.optional(),
    maxFailures: policy.maxFailures.optional(),
    active: z.boolean().optional().meta({ description: 'false pauses it, true takes it up again' }),
  })
  .refine(({ cron, at }) => cron === undefined || at === undefined, {
    message: 'Give either cron or at',
    path: ['cron'],
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'Nothing to change');
export type ChangeSchedule = z.output<typeof changeScheduleSchema>;

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
const mayRead = ['tasks:read', 'tasks:write'] as const;
const mayWrite = ['tasks:write'] as const;

export const schedulesRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/schedules',
    access: 'session',
    scopes: mayRead,
    summary: 'List the schedules, the next one first',
    query: listSchedulesQuerySchema,
    response: z.object({
      schedules: z.array(scheduleSchema),
      total: z.int(),
      limit: z.int(),
      offset: z.int(),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/schedules',
    access: 'session',
    scopes: mayWrite,
    summary: 'Create tasks at the times of a cron expression, or once',
    body: createScheduleSchema,
    status: 201,
    response: scheduleAnswer,
  },
  preview: {
    method: 'POST',
    path: '/api/schedules/preview',
    access: 'session',
    scopes: mayRead,
    summary: 'Show the times of an expression without storing anything',
    body: previewScheduleSchema,
    response: z.object({ timezone: z.string(), nextRuns: z.array(timestampSchema) }),
  },
  get: {
    method: 'GET',
    path: '/api/schedules/:id',
    access: 'session',
    scopes: mayRead,
    summary: 'Show a schedule with its next five runs',
    params: idParamsSchema,
    response: scheduleAnswer,
  },
  change: {
    method: 'PATCH',
    path: '/api/schedules/:id',
    access: 'session',
    scopes: mayWrite,
    summary: 'Change, pause or take up a schedule',
    params: idParamsSchema,
    body: changeScheduleSchema,
    response: scheduleAnswer,
  },
  run: {
    method: 'POST',
    path: '/api/schedules/:id/run',
    access: 'session',
    scopes: mayWrite,
    summary: 'Run a schedule now, beside its times',
    params: idParamsSchema,
    status: 201,
    response: z.object({
      task: taskSchema.optional().meta({ description: 'Absent while it waits for the run before' }),
      schedule: scheduleSchema,
    }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/schedules/:id',
    access: 'session',
    scopes: mayWrite,
    summary: 'Remove a schedule; the tasks that it made stay',
    params: idParamsSchema,
    response: messageSchema,
  },
});
