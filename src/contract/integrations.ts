import { z } from 'zod';
import { apiKeySchema, providerUrlSchema } from './providers.ts';
import { defineRoutes } from './route.ts';

/** Those who search the web for us: three vendors, and a metasearch engine that people run themselves. */
export const searchProviderSchema = z.enum(['brave', 'serper', 'tavily', 'searxng']);
export type SearchProviderId = z.output<typeof searchProviderSchema>;

const connectionSchema = z.object({
  apiKey: z.string().optional().meta({ description: 'Masked' }),
  baseUrl: z.string().optional(),
});

export const webSearchSchema = z
  .object({
    config: z.object({
      enabled: z.boolean(),
      provider: searchProviderSchema
        .nullable()
        .meta({ description: 'null: the first one that is set up is asked' }),
      brave: connectionSchema,
      serper: connectionSchema,
      tavily: connectionSchema,
      searxng: connectionSchema,
    }),
    status: z.object({
      available: z.boolean(),
      provider: searchProviderSchema.nullable().meta({ description: 'Who is asked' }),
      reason: z.string().nullable().meta({ description: 'Why it is not available, and what to do' }),
    }),
    providers: z.array(
      z.object({
        id: searchProviderSchema,
        name: z.string(),
        description: z.string(),
        configFields: z.array(z.enum(['apiKey', 'baseUrl'])),
      }),
    ),
  })
  .meta({ id: 'WebSearch' });
export type WebSearchInfo = z.output<typeof webSearchSchema>;

const changesSchema = z.object({
  apiKey: apiKeySchema.nullable().optional().meta({ description: 'Sealed, never shown; null forgets it' }),
  baseUrl: providerUrlSchema.nullable().optional().meta({ description: 'Another origin forgets the key' }),
});

export const configureWebSearchSchema = z.object({
  enabled: z.boolean().optional(),
  provider: searchProviderSchema.nullable().optional(),
  brave: changesSchema.optional(),
  serper: changesSchema.optional(),
  tavily: changesSchema.optional(),
  searxng: changesSchema.optional(),
});
export type ConfigureWebSearch = z.output<typeof configureWebSearchSchema>;

export const integrationsRoutes = defineRoutes({
  webSearch: {
    method: 'GET',
    path: '/api/integrations/web-search',
    access: 'session',
    summary: 'Show how the web is searched',
    response: webSearchSchema,
  },
  setWebSearch: {
    method: 'PUT',
    path: '/api/integrations/web-search',
    access: 'admin',
    summary: 'Choose who searches the web, with a key or address',
    body: configureWebSearchSchema,
    response: webSearchSchema,
  },
});
