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

/** The events of outbound webhooks; the webhook guide lists the fields of each. */
export const webhookEventSchema = z.enum([
  'task.created',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.waiting',
  'agent.started',
  'agent.finished',
  'approval.requested',
  'approval.decided',
]);
export type WebhookEvent = z.output<typeof webhookEventSchema>;

/** Sent only by the test route; it cannot be subscribed to. */
export const testEvent = 'webhook.test';
const deliveredEventSchema = z.enum([...webhookEventSchema.options, testEvent]);
export type DeliveredEvent = z.output<typeof deliveredEventSchema>;

const urlSchema = z.url({ protocol: /^https?$/ }).max(2000);
const eventsSchema = z
  .array(webhookEventSchema)
  .min(1)
  .max(50)
  .transform((events) => [...new Set(events)]);
const descriptionSchema = z.string().trim().max(200);
const secretSchema = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'Expected printable ASCII without blanks')
  .refine(
    (secret) => !secret.startsWith('whsec_') || /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret),
    'What follows whsec_ must be base64',
  );

/** `json`: a signed JSON object; `text`: one or two sentences for people, with headers as ntfy reads them. */
export const webhookFormatSchema = z.enum(['json', 'text']);
export type WebhookFormat = z.output<typeof webhookFormatSchema>;

const bearerTokenSchema = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'Expected printable ASCII without blanks');

export const webhookStatusSchema = z.enum(['active', 'failing', 'paused']);

export const webhookSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(webhookEventSchema),
    format: webhookFormatSchema,
    active: z.boolean(),
    status: webhookStatusSchema.meta({
      description: '`failing`: paused after too many failed attempts; `paused`: paused manually',
    }),
    secret: z.string().meta({ description: 'Masked, except in the response that created it' }),
    token: z.string().optional().meta({ description: 'Bearer token for the receiver, masked' }),
    previousSecretUntil: timestampSchema
      .optional()
      .meta({ description: 'Until then the previous secret also signs' }),
    description: z.string().optional(),
    createdAt: timestampSchema,
    lastDelivery: timestampSchema.optional(),
    deliveryCount: z.int().meta({ description: 'Successful deliveries' }),
    failureCount: z.int().meta({ description: 'Failed attempts' }),
    failingSince: timestampSchema.optional(),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof webhookSchema>;

export const createWebhookSchema = z.object({
  url: urlSchema,
  events: eventsSchema,
  format: webhookFormatSchema
    .default('json')
    .meta({ description: '`text` sends sentences for people, for example to an ntfy topic' }),
  secret: secretSchema.optional().meta({ description: 'Generated and shown once unless given' }),
  token: bearerTokenSchema.optional().meta({ description: 'Sent to the URL as `Authorization: Bearer`' }),
  description: descriptionSchema.optional(),
});
export type CreateWebhook = z.output<typeof createWebhookSchema>;

export const updateWebhookSchema = z
  .object({
    active: z.boolean().optional().meta({ description: 'true resumes pending deliveries' }),
    url: urlSchema
      .optional()
      .meta({ description: 'Another scheme, host or port removes the token unless a new one is given' }),
    events: eventsSchema.optional(),
    format: webhookFormatSchema.optional(),
    token: bearerTokenSchema.nullable().optional().meta({ description: 'null removes it' }),
    description: descriptionSchema.nullable().optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'Nothing to change');
export type UpdateWebhook = z.output<typeof updateWebhookSchema>;

export const rotateSecretSchema = z.object({
  secret: secretSchema.optional().meta({ description: 'Generated and shown once unless given' }),
  keepHours: z.number().min(0).max(720).default(24).meta({
    description: 'Hours during which the previous secret also signs',
  }),
});
export type RotateSecret = z.output<typeof rotateSecretSchema>;

const deliveryStatusSchema = z.enum(['pending', 'delivered', 'failed']);
export const deliverySchema = z
  .object({
    id: z.string().meta({ description: 'Id that the receiver sees, the same for every attempt' }),
    webhookId: z.string(),
    event: deliveredEventSchema,
    taskId: z.string().optional(),
    approvalId: z.string().optional(),
    status: deliveryStatusSchema,
    attempt: z.int().meta({ description: 'Attempts so far' }),
    statusCode: z.int().optional(),
    responseBody: z.string().optional().meta({ description: 'First 4 KiB, without the token' }),
    error: z.string().optional(),
    durationMs: z.number().optional(),
    at: timestampSchema.meta({ description: 'Time of the last attempt, or of the event' }),
    nextAttemptAt: timestampSchema.optional(),
    attempts: z.array(
      z.object({
        at: timestampSchema,
        statusCode: z.int().optional(),
        error: z.string().optional(),
        durationMs: z.number(),
      }),
    ),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.output<typeof deliverySchema>;

const listDeliveriesQuerySchema = z.object({
  status: deliveryStatusSchema.optional(),
  limit: limitSchema(50),
  offset: offsetSchema.default(0),
});
export type ListDeliveriesQuery = z.output<typeof listDeliveriesQuerySchema>;

const scopes = ['webhooks:write'] as const;
const webhookAnswer = z.object({ webhook: webhookSchema });

export const webhooksRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/webhooks',
    access: 'session',
    scopes,
    summary: 'List webhooks',
    response: z.object({ webhooks: z.array(webhookSchema) }),
  },
  create: {
    method: 'POST',
    path: '/api/webhooks',
    access: 'session',
    scopes,
    summary: 'Create a webhook',
    body: createWebhookSchema,
    status: 201,
    response: webhookAnswer,
  },
  get: {
    method: 'GET',
    path: '/api/webhooks/:id',
    access: 'session',
    scopes,
    summary: 'Get a webhook',
    params: idParamsSchema,
    response: webhookAnswer,
  },
  update: {
    method: 'PATCH',
    path: '/api/webhooks/:id',
    access: 'session',
    scopes,
    summary: 'Update, pause or resume a webhook',
    params: idParamsSchema,
    body: updateWebhookSchema,
    response: webhookAnswer,
  },
  delete: {
    method: 'DELETE',
    path: '/api/webhooks/:id',
    access: 'session',
    scopes,
    summary: 'Delete a webhook and its deliveries',
    params: idParamsSchema,
    response: messageSchema,
  },
  rotateSecret: {
    method: 'POST',
    path: '/api/webhooks/:id/rotate-secret',
    access: 'session',
    scopes,
    summary: 'Rotate the secret of a webhook',
    params: idParamsSchema,
    body: rotateSecretSchema.prefault({}),
    response: webhookAnswer,
  },
  sendTest: {
    method: 'POST',
    path: '/api/webhooks/:id/test',
    access: 'session',
    scopes,
    summary: 'Send a test event and get the delivery',
    errors: [503],
    params: idParamsSchema,
    response: z.object({ delivery: deliverySchema }),
  },
  listDeliveries: {
    method: 'GET',
    path: '/api/webhooks/:id/deliveries',
    access: 'session',
    scopes,
    summary: 'List the deliveries of a webhook, newest first',
    params: idParamsSchema,
    query: listDeliveriesQuerySchema,
    response: z.object({ deliveries: z.array(deliverySchema), ...pageFields }),
  },
  redeliver: {
    method: 'POST',
    path: '/api/webhooks/:id/deliveries/:deliveryId/redeliver',
    access: 'session',
    scopes,
    summary: 'Redeliver an event with the same body and id',
    errors: [503],
    params: idParamsSchema.extend({ deliveryId: z.string().min(1).max(200) }),
    response: messageSchema.extend({ delivery: deliverySchema }),
  },
});
