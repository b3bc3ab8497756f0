import { z } from 'zod';
import { idParamsSchema, messageSchema, pageFields, pageQuerySchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { scopeSchema } from './scopes.ts';
import { nameSchema } from './users.ts';

const budgets = {
  tokensPerDay: z.int().min(1000).max(1_000_000_000_000).optional().meta({
    description: 'How many tokens of models it may use on a day (UTC)',
  }),
  costPerDay: z.number().positive().max(1_000_000).optional().meta({
    description: 'How many USD it may use on a day (UTC)',
  }),
  tokensPerMonth: z.int().min(1000).max(1_000_000_000_000).optional().meta({
    description: 'How many tokens of models it may use in a month (UTC)',
  }),
  costPerMonth: z.number().positive().max(1_000_000).optional().meta({
    description: 'How many USD it may use in a month (UTC)',
  }),
};

const modelLimits = {
  models: z.array(z.string().min(1).max(300)).min(1).max(100).optional().meta({
    description: 'The models that it may call at /v1, such as `openai/*`; all of them unless given',
  }),
  requestsPerMinute: z.int().min(1).max(1_000_000).optional().meta({
    description: 'How many models it may call at /v1 in a minute',
  }),
  tokensPerMinute: z.int().min(100).max(1_000_000_000).optional().meta({
    description: 'How many tokens of models it may use at /v1 in a minute',
  }),
};

export const apiTokenSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(scopeSchema),
    prefix: z.string().meta({ description: 'First characters of the token' }),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.optional(),
    ...budgets,
    ...modelLimits,
    lastUsedAt: timestampSchema.optional(),
  })
  .meta({ id: 'ApiToken' });
export type ApiToken = z.output<typeof apiTokenSchema>;

export const createTokenSchema = z.object({
  name: nameSchema,
  scopes: z
    .array(scopeSchema)
    .min(1)
    .max(20)
    .transform((scopes) => [...new Set(scopes)]),
  expiresInDays: z.int().min(1).max(3650).optional(),
  ...budgets,
  ...modelLimits,
});
export type CreateToken = z.output<typeof createTokenSchema>;

export const tokensRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/tokens',
    access: 'session',
    summary: 'List your API tokens, newest first',
    query: pageQuerySchema,
    response: z.object({ tokens: z.array(apiTokenSchema), ...pageFields }),
  },
  create: {
    method: 'POST',
    path: '/api/tokens',
    access: 'session',
    summary: 'Create an API token',
    body: createTokenSchema,
    status: 201,
    response: apiTokenSchema.omit({ lastUsedAt: true }).extend({
      token: z.string().meta({ description: 'Shown only once' }),
      notifySecret: z.string().optional().meta({
        description: 'Signs notifications to the notifyUrl of requests made with this token; shown only once',
      }),
    }),
  },
  revoke: {
    method: 'DELETE',
    path: '/api/tokens/:id',
    access: 'session',
    summary: 'Revoke an API token',
    params: idParamsSchema,
    response: messageSchema,
  },
});
