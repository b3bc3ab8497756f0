import { z } from 'zod';
import { a2aPath, agentCardPath } from './a2a-path.ts';
import { defineRoutes } from './route.ts';

const idSchema = z.union([z.string().max(1000), z.number()]);

/** A request of JSON-RPC 2.0; the parameters depend on the method. */
export const a2aRequestSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: idSchema.nullable().optional(),
    method: z.string().max(100).meta({
      description: 'Such as `SendMessage` or `GetTask`; in version 0.3 `message/send` or `tasks/get`',
    }),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'A2aRequest' });
export type A2aRequest = z.output<typeof a2aRequestSchema>;

/** An answer of JSON-RPC 2.0: the result of the method, or an error of the protocol. */
export const a2aAnswerSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: idSchema.nullable(),
    result: z.unknown().optional(),
    error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
  })
  .meta({ id: 'A2aAnswer' });

/** What other agents call (A2A 1.0, and in the form of 0.3); all of it is 404 unless `a2a.enabled` is set. */
export const a2aRoutes = defineRoutes({
  getCard: {
    method: 'GET',
    path: agentCardPath,
    access: 'public',
    summary: 'Get the public agent card of A2A',
    errors: [404],
    response: z.looseObject({ name: z.string(), version: z.string() }).meta({ id: 'AgentCard' }),
  },
  call: {
    method: 'POST',
    path: a2aPath,
    access: 'token',
    scopes: ['tasks:read', 'tasks:write', 'gateway:write'],
    tokenLimit: 'polls',
    summary: 'Call a method of A2A as JSON-RPC',
    errors: [404],
    headers: z.object({
      'a2a-version': z
        .string()
        .max(20)
        .optional()
        .meta({ description: '`1.0` or `0.3`; without it, 0.3 is meant' }),
    }),
    body: a2aRequestSchema,
    bodyLimit: 2 * 1024 * 1024,
    response: a2aAnswerSchema,
    events: a2aAnswerSchema,
  },
});
