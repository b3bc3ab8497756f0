import { z } from 'zod';
import { idParamsSchema, limitSchema, offsetSchema, pageFields, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { type Vendor, wireName, wireNames } from './vendors.ts';

const wireNameSchema = z.enum(Object.values(wireNames));

const inboundStatusSchema = z.enum(['accepted', 'ignored', 'duplicate']);

/** The answer to the sender of a webhook. */
export const inboundAnswerSchema = z
  .object({
    status: inboundStatusSchema,
    reason: z.string().optional(),
    taskId: z.string().optional().meta({ description: 'The task that was created, or the existing one' }),
    id: z.string().meta({ description: 'Id of the entry in the delivery log' }),
  })
  .meta({ id: 'InboundAnswer' });
export type InboundAnswer = z.output<typeof inboundAnswerSchema>;

export const inboundDeliverySchema = z
  .object({
    id: z.string(),
    provider: wireNameSchema,
    deliveryId: z.string().meta({ description: 'Delivery id of the sender, or a hash if it sends none' }),
    event: z.string(),
    action: z.string().optional(),
    status: z.enum(['accepted', 'ignored', 'duplicate', 'refused']).meta({
      description:
        '`refused`: the signature is valid but too old; deliveries with an invalid signature are not stored',
    }),
    reason: z.string().optional(),
    taskId: z.string().optional(),
    sourceId: z.string().optional(),
    sender: z.string().optional(),
    copies: z.int().meta({ description: 'How often it was received' }),
    bytes: z.int(),
    receivedAt: timestampSchema,
    lastReceivedAt: timestampSchema,
    replayOf: z.string().optional(),
    canReplay: z.boolean().meta({ description: 'Whether its body is still stored' }),
  })
  .meta({ id: 'InboundDelivery' });
export type InboundDelivery = z.output<typeof inboundDeliverySchema>;

export const listInboundQuerySchema = z.object({
  provider: wireNameSchema.optional(),
  status: inboundDeliverySchema.shape.status.optional(),
  limit: limitSchema(50),
  offset: offsetSchema.default(0),
});
export type ListInboundQuery = z.output<typeof listInboundQuerySchema>;

const receive = (vendor: Vendor, summary: string) =>
  ({
    method: 'POST',
    path: `/api/webhooks/${wireName(vendor)}`,
    access: 'public',
    summary,
    errors: [503],
    bodyLimit: 5 * 1024 * 1024,
    rawBody: 'The delivery as sent by the vendor; the signature covers these bytes',
    response: inboundAnswerSchema,
  }) as const;

export const inboundRoutes = defineRoutes({
  receiveGithub: receive('github', 'Receive a webhook from GitHub'),
  receiveJira: receive('jira', 'Receive a webhook from Jira'),
  receiveLinear: receive('linear', 'Receive a webhook from Linear'),
  list: {
    method: 'GET',
    path: '/api/webhooks/inbound',
    access: 'admin',
    summary: 'List inbound deliveries, newest first',
    query: listInboundQuerySchema,
    response: z.object({
      deliveries: z.array(inboundDeliverySchema),
      ...pageFields,
    }),
  },
  get: {
    method: 'GET',
    path: '/api/webhooks/inbound/:id',
    access: 'admin',
    summary: 'Get an inbound delivery with its body',
    params: idParamsSchema,
    response: z.object({
      delivery: inboundDeliverySchema,
      payload: z.json().optional().meta({ description: 'Present while it is stored' }),
    }),
  },
  replay: {
    method: 'POST',
    path: '/api/webhooks/inbound/:id/replay',
    access: 'admin',
    summary: 'Replay an inbound delivery with the current rules',
    errors: [503],
    params: idParamsSchema,
    response: inboundAnswerSchema,
  },
});
