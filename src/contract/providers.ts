import { z } from 'zod';
import { messageSchema, timestampSchema, warningsSchema } from './primitives.ts';
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

/** The name of a server that an administrator adds. */
export const serverNameSchema = z
  .string()
  .max(40)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Expected lower-case letters, digits and hyphens, at most 40');

/** The same as `providerNameSchema`, for a query: parameters have no named types. */
export const providerParameterSchema = z.union([modelProviderTypeSchema, serverNameSchema], {
  error: 'Expected the name of a model provider: lower-case letters, digits and hyphens',
});
/** A built-in provider by its type, or an OpenAI-compatible server by its name. */
export const providerNameSchema = providerParameterSchema.meta({
  id: 'ProviderName',
  description: 'A built-in provider by its type, or an OpenAI-compatible server by its name',
});
export type ProviderName = z.output<typeof providerNameSchema>;

const { options: builtInTypes } = modelProviderTypeSchema;
/** True for the type of a built-in provider. */
export const isBuiltIn = (name: string): name is ModelProviderType =>
  (builtInTypes as readonly string[]).includes(name);

export const modelSchema = z
  .object({
    id: z.string(),
    provider: providerNameSchema,
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
    type: providerNameSchema,
    name: z.string(),
    custom: z
      .boolean()
      .optional()
      .meta({ description: 'true for an OpenAI-compatible server that an administrator added' }),
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

const defaultModelSchema = z.object({ provider: providerNameSchema, model: z.string().optional() });

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

/** A new OpenAI-compatible server. */
export const addProviderSchema = z.object({
  name: serverNameSchema.refine((name) => !isBuiltIn(name), 'This is the name of a built-in provider'),
  baseUrl: providerUrlSchema.meta({ description: 'Without a path, `/v1` is added' }),
  apiKey: apiKeySchema.optional().meta({ description: 'Encrypted, never shown' }),
  defaultModel: text(200).optional(),
  default: z.boolean().default(false).meta({ description: 'Makes it the default provider' }),
});
export type AddProvider = z.output<typeof addProviderSchema>;

const typeParams = z.object({ type: providerNameSchema });
const warnings = warningsSchema.optional();

export const providersRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/chat/providers',
    access: 'session',
    summary: 'List model providers with their status',
    response: z.object({ default: defaultModelSchema.nullable(), providers: z.array(modelProviderSchema) }),
  },
  add: {
    method: 'POST',
    path: '/api/chat/providers',
    access: 'admin',
    summary: 'Add an OpenAI-compatible server as a model provider',
    body: addProviderSchema,
    status: 201,
    response: z.object({ provider: modelProviderSchema }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/chat/providers/:type',
    access: 'admin',
    summary: 'Remove an OpenAI-compatible server',
    params: typeParams,
    query: z.object({
      force: z
        .stringbool()
        .optional()
        .meta({ description: 'Remove it although it is the default or a schedule uses it' }),
    }),
    response: messageSchema.extend({ warnings }),
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
    response: z.object({
      provider: providerNameSchema,
      healthy: z.boolean(),
      ...latency,
      code: z
        .string()
        .optional()
        .meta({ description: 'Why it is not healthy, such as `auth`, `quota`, `network` or `timeout`' }),
      modelProblem: z.string().optional().meta({ description: 'Why its default model cannot be used' }),
    }),
  },
  setDefault: {
    method: 'POST',
    path: '/api/chat/providers/default',
    access: 'admin',
    summary: 'Set the default model provider',
    errors: [503],
    body: defaultModelSchema,
    response: z.object({ default: defaultModelSchema, warnings }),
  },
});
