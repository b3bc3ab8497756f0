import { z } from 'zod';
import { agentSchema } from './agents.ts';
import { approvalSchema } from './approvals.ts';
import { deadLetterSchema } from './dlq.ts';
import { notificationSchema } from './notifications.ts';
import { messageSchema, limitSchema, momentSchema, timestampSchema } from './primitives.ts';
import { modelProviderSchema } from './providers.ts';
import { defineRoutes } from './route.ts';
import { listedTaskSchema } from './task.ts';
import { webhookSchema } from './webhooks.ts';

/** What waits for a person. Agents, providers and the queue are for administrators, who can do something about them. */
export const inboxItemSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('approval'), approval: approvalSchema }),
    z.object({ kind: z.literal('queue'), message: z.string() }),
    z.object({
      kind: z.literal('agent'),
      agent: agentSchema.pick({ type: true, name: true }).extend({
        message: z.string(),
        hint: z.string().meta({ description: 'What to do next, such as how to log in' }),
      }),
    }),
    z.object({
      kind: z.literal('provider'),
      provider: modelProviderSchema.pick({ type: true, name: true }).extend({ message: z.string() }),
    }),
    z.object({
      kind: z.literal('webhook'),
      webhook: webhookSchema.pick({
        id: true,
        url: true,
        description: true,
        failureCount: true,
        failingSince: true,
      }),
    }),
    z.object({ kind: z.literal('dead_letter'), deadLetter: deadLetterSchema }),
    z.object({ kind: z.literal('notification'), notification: notificationSchema }),
  ])
  .meta({ id: 'InboxItem' });
export type InboxItem = z.output<typeof inboxItemSchema>;

const someTasksSchema = z.object({ tasks: z.array(listedTaskSchema), total: z.int() });

export const inboxSchema = z
  .object({
    items: z.array(inboxItemSchema).meta({ description: 'What waits for you, the most urgent kind first' }),
    counts: z.object({
      needsYou: z.int().meta({ description: 'All that waits for you, also what `limit` leaves out' }),
      approvals: z.int(),
      deadLetters: z.int(),
      notifications: z.int().meta({
        description: 'Unread ones, without those about something that is an item of its own',
      }),
      unread: z.int().meta({ description: 'All unread notifications' }),
    }),
    running: someTasksSchema,
    queued: z.int(),
    completed: someTasksSchema.extend({ since: timestampSchema }),
  })
  .meta({ id: 'Inbox' });
export type Inbox = z.output<typeof inboxSchema>;

export const inboxQuerySchema = z.object({
  since: momentSchema.optional().meta({
    description: "From when on completed tasks are listed; the start of the daemon's day unless given",
  }),
  limit: limitSchema(50).meta({ description: 'Of each kind of item, and of each list of tasks' }),
});
export type InboxQuery = z.output<typeof inboxQuerySchema>;

export const inboxRoutes = defineRoutes({
  get: {
    method: 'GET',
    path: '/api/inbox',
    access: 'session',
    summary: 'Get what waits for you, what is running and what was completed',
    query: inboxQuerySchema,
    response: inboxSchema,
  },
  markRead: {
    method: 'POST',
    path: '/api/inbox/read',
    access: 'session',
    summary: 'Mark all your notifications as read',
    body: z
      .object({
        until: momentSchema.optional().meta({ description: 'Leaves those that came later unread' }),
      })
      .default({}),
    response: messageSchema.extend({ marked: z.int() }),
  },
});
