import { z } from 'zod';
import { timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { createTaskSchema, taskErrorSchema, taskStatusSchema } from './task.ts';
import { idempotencyHeaders } from './tasks.ts';

export const workflowSchema = z.enum([
  'code-review',
  'ticket-resolve',
  'test-generation',
  'refactor',
  'summarize',
  'custom',
]);
export type Workflow = z.output<typeof workflowSchema>;

export const gatewayRequestSchema = z.object({
  task: createTaskSchema.omit({ attached: true }),
  workflow: workflowSchema.optional().meta({
    description: 'Wraps the prompt in instructions; custom leaves it unchanged',
  }),
  options: z
    .object({
      synchronous: z.boolean().default(false),
      notifyUrl: z
        .url({ protocol: /^https?$/ })
        .max(2000)
        .optional()
        .meta({ description: 'Receives the final state, signed with the notifySecret of the token' }),
      timeout: z.int().min(1).max(86_400_000).optional().meta({
        description: 'Milliseconds that a synchronous request waits, at most 300000',
      }),
    })
    .prefault({}),
  idempotencyKey: z.string().min(1).max(200).optional(),
});
export type GatewayRequest = z.output<typeof gatewayRequestSchema>;

const ids = { requestId: z.string(), taskId: z.string(), status: taskStatusSchema };

export const gatewayResultSchema = z
  .object({
    output: z.string(),
    duration: z.number().meta({ description: 'Milliseconds' }),
    model: z.string().optional().meta({ description: 'Model, if the agent reports one' }),
  })
  .meta({ id: 'GatewayResult' });
export type GatewayResult = z.output<typeof gatewayResultSchema>;

export const gatewayAcceptedSchema = z
  .object({
    ...ids,
    estimatedWait: z.int().meta({ description: 'Estimated milliseconds until the task starts' }),
    statusUrl: z.string(),
  })
  .meta({ id: 'GatewayAccepted' });
export type GatewayAccepted = z.output<typeof gatewayAcceptedSchema>;

const outcome = { result: gatewayResultSchema.optional(), error: taskErrorSchema.optional() };
export const gatewayFinishedSchema = z.object({ ...ids, ...outcome }).meta({ id: 'GatewayFinished' });
export type GatewayFinished = z.output<typeof gatewayFinishedSchema>;

export const gatewayStatusSchema = z
  .object({
    ...ids,
    ...outcome,
    progress: z.number().min(0).max(1).meta({ description: '0 to 1; 1 when the task is finished' }),
    estimatedWait: z.int().optional().meta({ description: 'Milliseconds; present until the task starts' }),
    startedAt: timestampSchema.optional(),
    updatedAt: timestampSchema,
  })
  .meta({ id: 'GatewayStatus' });
export type GatewayStatus = z.output<typeof gatewayStatusSchema>;

export const gatewayRoutes = defineRoutes({
  submit: {
    method: 'POST',
    path: '/api/gateway',
    access: 'token',
    scopes: ['gateway:write'],
    summary: 'Submit a task through the gateway',
    headers: idempotencyHeaders,
    body: gatewayRequestSchema,
    status: 202,
    response: gatewayAcceptedSchema,
    also: { 200: z.union([gatewayAcceptedSchema, gatewayFinishedSchema]) },
  },
  getStatus: {
    method: 'GET',
    path: '/api/gateway/:requestId/status',
    access: 'token',
    scopes: ['gateway:read', 'gateway:write'],
    tokenLimit: 'polls',
    summary: 'Get the status of a gateway request',
    params: z.object({ requestId: z.string().min(1).max(200) }),
    response: gatewayStatusSchema,
  },
});
