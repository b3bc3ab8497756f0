import { z } from 'zod';
import {
  idParamsSchema,
  jsonObjectSchema,
  limitSchema,
  messageSchema,
  offsetSchema,
  pageFields,
  timestampSchema,
} from './primitives.ts';
import { defineRoutes } from './route.ts';

export const notificationSchema = z
  .object({
    id: z.string(),
    type: z.enum([
      'task_dead_lettered',
      'approval_requested',
      'webhook_failing',
      'schedule_paused',
      'agent_needs_login',
      'candidates_to_compare',
      'push_failed',
      'signing_key_added',
      'budget_warning',
      'budget_reached',
    ]),
    title: z.string(),
    message: z.string(),
    taskId: z.string().optional(),
    data: jsonObjectSchema,
    createdAt: timestampSchema,
    readAt: timestampSchema.optional(),
  })
  .meta({ id: 'Notification' });
export type Notification = z.output<typeof notificationSchema>;

export const listNotificationsQuerySchema = z.object({
  unread: z.stringbool().optional(),
  limit: limitSchema(50),
  offset: offsetSchema.default(0),
});
export type ListNotificationsQuery = z.output<typeof listNotificationsQuerySchema>;

export const notificationsRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/notifications',
    access: 'session',
    summary: 'List your notifications, newest first',
    query: listNotificationsQuerySchema,
    response: z.object({
      notifications: z.array(notificationSchema),
      ...pageFields,
      unread: z.int(),
    }),
  },
  markRead: {
    method: 'POST',
    path: '/api/notifications/:id/read',
    access: 'session',
    summary: 'Mark a notification as read',
    params: idParamsSchema,
    response: z.object({ notification: notificationSchema }),
  },
  markUnread: {
    method: 'POST',
    path: '/api/notifications/:id/unread',
    access: 'session',
    summary: 'Mark a notification as unread',
    params: idParamsSchema,
    response: z.object({ notification: notificationSchema }),
  },
  delete: {
    method: 'DELETE',
    path: '/api/notifications/:id',
    access: 'session',
    summary: 'Delete a notification',
    params: idParamsSchema,
    response: messageSchema,
  },
});
