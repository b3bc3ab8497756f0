import { z } from 'zod';
import { idParamsSchema, messageSchema, pageFields, pageQuerySchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

/** What a browser can be notified of. */
export const pushKindSchema = z.enum(['approval', 'failure', 'waiting']).meta({
  description:
    '`approval`: an agent asks for approval; `failure`: a task failed for good; `waiting`: a task waits',
});
export type PushKind = z.output<typeof pushKindSchema>;

const kindsSchema = z
  .array(pushKindSchema)
  .min(1)
  .max(10)
  .transform((kinds) => [...new Set(kinds)]);
const base64Url = z.string().regex(/^[\w-]+={0,2}$/, 'Expected base64url');

/** A browser that receives notifications. */
export const pushSubscriptionSchema = z
  .object({
    id: z.string(),
    current: z.boolean().meta({ description: 'Whether it belongs to this session' }),
    deviceId: z.string().optional().meta({ description: 'The paired device whose browser it is' }),
    service: z.string().meta({ description: 'Host of the push service of its browser' }),
    kinds: z.array(pushKindSchema),
    createdAt: timestampSchema,
    lastSentAt: timestampSchema.optional(),
    lastError: z.string().optional().meta({ description: 'Why the last notification was not accepted' }),
  })
  .meta({ id: 'PushSubscription' });
export type PushSubscription = z.output<typeof pushSubscriptionSchema>;

const subscribePushSchema = z.object({
  endpoint: z.url().max(1000).meta({ description: 'Address at the push service; a secret of the browser' }),
  keys: z.object({ p256dh: base64Url.max(200), auth: base64Url.max(100) }),
  kinds: kindsSchema.default(['approval', 'failure']),
});
export type SubscribePush = z.output<typeof subscribePushSchema>;

/** What a push message says; the service worker of the pages shows it. */
export interface PushPayload {
  kind: PushKind | 'decided' | 'test';
  title: string;
  /** A path of the pages. */
  link: string;
  /** A later message with the same tag replaces the notification. */
  tag: string;
}

export const pushRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/notifications/push',
    access: 'session',
    summary: 'List the browsers that receive your notifications, newest first',
    query: pageQuerySchema,
    response: z.object({
      publicKey: z.string().meta({ description: 'VAPID key of this daemon (RFC 8292), for the browser' }),
      subscriptions: z.array(pushSubscriptionSchema),
      ...pageFields,
    }),
  },
  subscribe: {
    method: 'PUT',
    path: '/api/notifications/push',
    access: 'session',
    summary: 'Send notifications to the browser of this session',
    errors: [409],
    bodyLimit: 8 * 1024,
    body: subscribePushSchema,
    response: z.object({ subscription: pushSubscriptionSchema }),
  },
  unsubscribe: {
    method: 'DELETE',
    path: '/api/notifications/push/:id',
    access: 'session',
    summary: 'Send no more notifications to a browser',
    params: idParamsSchema,
    response: messageSchema,
  },
  sendTest: {
    method: 'POST',
    path: '/api/notifications/push/:id/test',
    access: 'session',
    summary: 'Send a test notification to a browser',
    errors: [503],
    params: idParamsSchema,
    response: z.object({
      delivered: z.boolean(),
      error: z.string().optional().meta({ description: 'Why the push service did not accept it' }),
    }),
  },
});
