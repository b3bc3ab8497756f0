import { z } from 'zod';
import { timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';

/** Vendors of models, a local runtime and a router. */
export const providerTypeSchema = z.enum([
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
export type ProviderType = z.output<typeof providerTypeSchema>;

export const modelSchema = z
  .object({
    id: z.string(),
    provider: providerTypeSchema,
    name: z.string(),
    contextWindow: z.int().optional(),
    supportsTools: z.boolean().optional(),
    supportsReasoning: z.boolean().optional(),
  })
  .meta({ id: 'Model' });
export type Model = z.output<typeof modelSchema>;

const latency = { latencyMs: z.number().optional(), message: z.string().optional() };

export const providerSchema = z
  .object({
    type: providerTypeSchema,
    name: z.string(),
    configured: z.boolean().meta({ description: 'Has what it needs, such as a key' }),
    enabled: z.boolean(),
    healthy: z
      .boolean()
      .meta({ description: 'As it was last seen, in use or by a check; false while it was neither' }),
    healthCheckedAt: timestampSchema.optional().meta({ description: 'When it was last seen so' }),
    lastUsedAt: timestampSchema.optional().meta({ description: 'When a model of it was last called' }),
    ...latency,
    apiKey: z.string().optional().meta({ description: 'Masked' }),
    baseUrl: z.string().optional(),
    defaultModel: z.string().optional(),
    resourceName: z.string().optional(),
    apiVersion: z.string().optional(),
  })
  .meta({ id: 'Provider' });
export type Provider = z.output<typeof providerSchema>;

const defaultModelSchema = z.object({ provider: providerTypeSchema, model: z.string().optional() });

const text = (max: number) => z.string().trim().min(1).max(max);

/** Where a provider is: what is shown to everybody, so without a name, password or query. */
export const providerUrlSchema = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .regex(/^[^@?#]*$/, 'Expected a URL without a user name, a password, a query or a fragment');
/** It becomes a part of a host name. */
export const resourceNameSchema = text(60).regex(/^[a-z0-9-]+$/i, 'Expected letters, digits and hyphens');
/** It becomes a part of a query. */
export const apiVersionSchema = text(50).regex(/^[\w.-]+$/, 'Expected a version such as 2024-10-21');

/** It becomes a header. */
export const apiKeySchema = text(2000).regex(/^[\x21-\x7e]+$/, 'Expected a key without blanks');

export const configureProviderSchema = z.object({
  apiKey: apiKeySchema.nullable().optional().meta({ description: 'Sealed, never shown; null forgets it' }),
  baseUrl: providerUrlSchema.nullable().optional().meta({ description: 'Another origin forgets the key' }),
  defaultModel: text(200).nullable().optional(),
  enabled: z.boolean().optional(),
  resourceName: resourceNameSchema.nullable().optional().meta({ description: 'azure only' }),
  apiVersion: apiVersionSchema.nullable().optional().meta({ description: 'azure only' }),
});
export type ConfigureProvider = z.output<typeof configureProviderSchema>;

const typeParams = z.object({ type: providerTypeSchema });

export const providersRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/chat/providers',
    access: 'session',
    summary: 'List the model providers with their state',
    response: z.object({ default: defaultModelSchema.nullable(), providers: z.array(providerSchema) }),
  },
  models: {
    method: 'GET',
    path: '/api/chat/providers/:type/models',
    access: 'session',
    summary: 'Ask a provider which models it has',
    params: typeParams,
    response: z.object({
      models: z.array(modelSchema),
      source: z
        .enum(['live', 'list'])
        .meta({ description: 'list: the vendor tells nobody, so a dated list is shown' }),
    }),
  },
  configure: {
    method: 'POST',
    path: '/api/chat/providers/:type/configure',
    access: 'admin',
    summary: 'Set the key, address or default model of a provider',
    params: typeParams,
    body: configureProviderSchema,
    response: z.object({ provider: providerSchema }),
  },
  health: {
    method: 'POST',
    path: '/api/chat/providers/:type/health',
    access: 'session',
    summary: 'Look now whether a provider answers',
    params: typeParams,
    response: z.object({ provider: providerTypeSchema, healthy: z.boolean(), ...latency }),
  },
  setDefault: {
    method: 'POST',
    path: '/api/chat/providers/default',
    access: 'admin',
    summary: 'Choose the provider for requests that name none',
    body: defaultModelSchema,
    response: z.object({ default: defaultModelSchema }),
  },
});
