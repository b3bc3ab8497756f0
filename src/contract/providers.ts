import { z } from 'zod';
import { timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

/** Model providers: vendors, a local runtime and a router. */
export const modelProviderTypeSchema = z.enum([
  'anthropic',
  'openai',
  'azure',
  'google',
  'mistral',
  'groq',
  'xai',
  'deepseek',
  'cohere',
  'perplexity',
  'together',
  'fireworks',
  'cerebras',
  'ollama',
  'openrouter',
]);
export type ModelProviderType = z.output<typeof modelProviderTypeSchema>;

export const modelSchema = z
  .object({
    id: z.string(),
    provider: modelProviderTypeSchema,
    name: z.string(),
    contextWindow: z.int().optional(),
    supportsTools: z.boolean().optional(),
    supportsReasoning: z.boolean().optional(),
  })
  .meta({ id: 'Model' });
export type Model = z.output<typeof modelSchema>;

const latency = { latencyMs: z.number().optional(), message: z.string().optional() };

export const modelProviderSchema = z
  .object({
    type: modelProviderTypeSchema,
    name: z.string(),
    configured: z.boolean().meta({ description: 'Has the required configuration, such as a key' }),
    enabled: z.boolean(),
    healthy: z
      .boolean()
      .meta({ description: 'As last seen, in use or by a health check; false before either' }),
    healthCheckedAt: timestampSchema.optional().meta({ description: 'When `healthy` was last seen' }),
    lastUsedAt: timestampSchema.optional().meta({ description: 'When one of its models was last called' }),
    ...latency,
    apiKey: z.string().optional().meta({ description: 'Masked' }),
    baseUrl: z.string().optional(),
    defaultModel: z.string().optional(),
    resourceName: z.string().optional(),
    apiVersion: z.string().optional(),
  })
  .meta({ id: 'ModelProvider' });
export type ModelProvider = z.output<typeof modelProviderSchema>;

const defaultModelSchema = z.object({ provider: modelProviderTypeSchema, model: z.string().optional() });

const text = (max: number) => z.string().trim().min(1).max(max);

/** URL of a provider. It is shown to every user, so it has no user name, password or query. */
export const providerUrlSchema = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .regex(/^[^@?#]*$/, 'Expected a URL without a user name, a password, a query or a fragment');
/** Part of a host name. */
export const resourceNameSchema = text(60).regex(/^[a-z0-9-]+$/i, 'Expected letters, digits and hyphens');
/** Part of a query. */
export const apiVersionSchema = text(50).regex(/^[\w.-]+$/, 'Expected a version such as 2024-10-21');

/** Sent as a header. */
export const apiKeySchema = text(2000).regex(/^[\x21-\x7e]+$/, 'Expected a key without blanks');

export const configureModelProviderSchema = z.object({
  apiKey: apiKeySchema.nullable().optional().meta({ description: 'Encrypted, never shown; null deletes it' }),
  baseUrl: providerUrlSchema
    .nullable()
    .optional()
    .meta({ description: 'Changing the origin deletes the key' }),
  defaultModel: text(200).nullable().optional(),
  enabled: z.boolean().optional(),
  resourceName: resourceNameSchema.nullable().optional().meta({ description: '`azure` only' }),
  apiVersion: apiVersionSchema.nullable().optional().meta({ description: '`azure` only' }),
});
export type ConfigureModelProvider = z.output<typeof configureModelProviderSchema>;

const typeParams = z.object({ type: modelProviderTypeSchema });

export const providersRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/chat/providers',
    access: 'session',
    summary: 'List model providers with their status',
    response: z.object({ default: defaultModelSchema.nullable(), providers: z.array(modelProviderSchema) }),
  },
  listModels: {
    method: 'GET',
    path: '/api/chat/providers/:type/models',
    access: 'session',
    summary: 'List the models of a provider',
    errors: [503],
    params: typeParams,
    response: z.object({
      models: z.array(modelSchema),
      source: z
        .enum(['live', 'list'])
        .meta({ description: '`list`: the vendor has no such API; a dated list is returned' }),
    }),
  },
  configure: {
    method: 'POST',
    path: '/api/chat/providers/:type/configure',
    access: 'admin',
    summary: 'Configure a model provider',
    params: typeParams,
    body: configureModelProviderSchema,
    response: z.object({ provider: modelProviderSchema }),
  },
  checkHealth: {
    method: 'POST',
    path: '/api/chat/providers/:type/health',
    access: 'session',
    summary: 'Check the health of a model provider',
    params: typeParams,
    response: z.object({ provider: modelProviderTypeSchema, healthy: z.boolean(), ...latency }),
  },
  setDefault: {
    method: 'POST',
    path: '/api/chat/providers/default',
    access: 'admin',
    summary: 'Set the default model provider',
    errors: [503],
    body: defaultModelSchema,
    response: z.object({ default: defaultModelSchema }),
  },
});
