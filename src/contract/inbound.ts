import { z } from 'zod';
import { providerNameSchema } from './oauth.ts';
import { idParamsSchema, limitSchema, offsetSchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

const inboundStatusSchema = z.enum(['accepted', 'ignored', 'duplicate']);

/** What the sender of a webhook is answered. */
export const inboundAnswerSchema = z
  .object({
    status: inboundStatusSchema,
    reason: z.string().optional(),
    taskId: z.string().optional().meta({ description: 'The task that it made, or that is there already' }),
    id: z.string().meta({ description: 'Of the entry in the log of deliveries' }),
  })
  .meta({ id: 'InboundAnswer' });
export type InboundAnswer = z.output<typeof inboundAnswerSchema>;

export const inboundDeliverySchema = z
  .object({
    id: z.string(),
    provider: providerNameSchema,
    deliveryId: z.string().meta({ description: 'As the sender names it; a hash where it names none' }),
    event: z.string(),
    action: z.string().optional(),
    status: z.enum(['accepted', 'ignored', 'duplicate', 'refused']).meta({
      description: 'refused: signed, but too old; nothing else that fails the signature is kept',
    }),
    reason: z.string().optional(),
    taskId: z.string().optional(),
    sourceId: z.string().optional(),
    sender: z.string().optional(),
    copies: z.int().meta({ description: 'How often it came' }),
    bytes: z.int(),
    receivedAt: timestampSchema,
    lastReceivedAt: timestampSchema,
    replayOf: z.string().optional(),
    canReplay: z.boolean().meta({ description: 'Whether its body is still kept' }),
  })
  .meta({ id: 'InboundDelivery' });
export type InboundDelivery = z.output<typeof inboundDeliverySchema>;

export const listInboundQuerySchema = z.object({
  provider: providerNameSchema.optional(),
  status: inboundDeliverySchema.shape.status.optional(),
  limit: limitSchema(50),
  offset: offsetSchema.default(0),
});
export type ListInboundQuery = z.output<typeof listInboundQuerySchema>;

const receive = (provider: z.output<typeof providerNameSchema>, summary: string) =>
  ({
    method: 'POST',
    path: `/api/webhooks/${provider}`,
    access: 'public',
    summary,
    errors: [503],
    bodyLimit: 5 * 1024 * 1024,
    rawBody: 'The delivery as the vendor sends it, signed over these bytes',
    response: inboundAnswerSchema,
  }) as const;

export const inboundRoutes = defineRoutes({
  codehost: receive('codehost', 'Take a webhook of GitHub'),
  trackerA: receive('tracker_a', 'Take a webhook of Jira'),
  trackerB: receive('tracker_b', 'Take a webhook of Linear'),
  list: {
    method: 'GET',
    path: '/api/webhooks/inbound',
    access: 'admin',
    summary: 'List what GitHub, Jira and Linear sent, newest first',
    query: listInboundQuerySchema,
    response: z.object({
      deliveries: z.array(inboundDeliverySchema),
      total: z.int(),
      limit: z.int(),
      offset: z.int(),
    }),
  },
  get: {
    method: 'GET',
    path: '/api/webhooks/inbound/:id',
    access: 'admin',
    summary: 'Show a delivery that came in, with its body',
    params: idParamsSchema,
    response: z.object({
      delivery: inboundDeliverySchema,
      payload: z.json().optional().meta({ description: 'While it is kept' }),
    }),
  },
  replay: {
    method: 'POST',
    path: '/api/webhooks/inbound/:id/replay',
    access: 'admin',
    summary: 'Look at a delivery again by the rules of now, as if it had just come',
    errors: [503],
    params: idParamsSchema,
    response: inboundAnswerSchema,
  },
});
