import { z } from 'zod';
import { apiKeySchema, providerUrlSchema } from './providers.ts';
import { messageSchema, timestampSchema } from './primitives.ts';
import { defineRoutes } from './route.ts';
import { byWireNames, productNames, type Vendor, wireName } from './vendors.ts';

/** The search providers: three vendors, and a self-hosted metasearch engine. */
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
        .meta({ description: 'null uses the first configured provider' }),
      brave: connectionSchema,
      serper: connectionSchema,
      tavily: connectionSchema,
      searxng: connectionSchema,
    }),
    status: z.object({
      available: z.boolean(),
      provider: searchProviderSchema.nullable().meta({ description: 'Provider in use' }),
      reason: z
        .string()
        .nullable()
        .meta({ description: 'Why web search is not available, and how to enable it' }),
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

const updateConnectionSchema = z.object({
  apiKey: apiKeySchema.nullable().optional().meta({ description: 'Encrypted, never shown; null deletes it' }),
  baseUrl: providerUrlSchema
    .nullable()
    .optional()
    .meta({ description: 'Changing the origin deletes the key' }),
});

export const configureWebSearchSchema = z.object({
  enabled: z.boolean().optional(),
  provider: searchProviderSchema.nullable().optional(),
  brave: updateConnectionSchema.optional(),
  serper: updateConnectionSchema.optional(),
  tavily: updateConnectionSchema.optional(),
  searxng: updateConnectionSchema.optional(),
});
export type ConfigureWebSearch = z.output<typeof configureWebSearchSchema>;

const isConnectedSchema = z.boolean().meta({ description: 'Whether your account is connected' });

export const githubStatusSchema = z
  .object({
    connected: isConnectedSchema,
    username: z.string().optional(),
    avatarUrl: z.string().optional(),
    scopes: z.array(z.string()),
    webhookConfigured: z.boolean().meta({
      description: 'A secret is set, and a signed delivery was received or the hook exists at the vendor',
    }),
    aiTaskLabel: z.string(),
  })
  .meta({ id: 'GithubStatus' });
export type GithubStatus = z.output<typeof githubStatusSchema>;

export const jiraStatusSchema = z
  .object({
    connected: isConnectedSchema,
    cloudId: z.string().optional(),
    siteName: z.string().optional(),
    scopes: z.array(z.string()),
    tokenExpiry: timestampSchema.optional(),
  })
  .meta({ id: 'JiraStatus' });
export type JiraStatus = z.output<typeof jiraStatusSchema>;

export const linearStatusSchema = z
  .object({
    connected: isConnectedSchema,
    workspaceName: z.string().optional(),
    workspaceId: z.string().optional(),
    teams: z.array(z.object({ id: z.string(), name: z.string(), key: z.string() })),
  })
  .meta({ id: 'LinearStatus' });
export type LinearStatus = z.output<typeof linearStatusSchema>;

const webhookStatusSchema = z.object({
  configured: z.boolean().meta({ description: 'A secret is set' }),
  lastEvent: timestampSchema.optional(),
  eventCount: z.int().optional(),
});
export const webhooksStatusSchema = z
  .object(
    byWireNames({ github: webhookStatusSchema, jira: webhookStatusSchema, linear: webhookStatusSchema }),
  )
  .meta({ id: 'InboundWebhooksStatus' });
export type WebhooksStatus = z.output<typeof webhooksStatusSchema>;

const disconnectResultSchema = messageSchema.extend({
  revoked: z.boolean().meta({
    description: 'Whether the vendor revoked the access; stored credentials are deleted in any case',
  }),
});
export type DisconnectResult = z.output<typeof disconnectResultSchema>;
const status = <R extends z.ZodType>(vendor: Vendor, response: R) =>
  ({
    method: 'GET',
    path: `/api/integrations/${wireName(vendor)}`,
    access: 'session',
    summary: `Get your connection to ${productNames[vendor]}`,
    response,
  }) as const;
const disconnect = (vendor: Vendor) =>
  ({
    method: 'DELETE',
    path: `/api/integrations/${wireName(vendor)}`,
    access: 'session',
    summary: `Disconnect ${productNames[vendor]} and revoke the access`,
    query: z.object({
      userId: z.string().min(1).max(200).optional().meta({
        description: 'Owner of the connection, you unless set; only administrators may name other users',
      }),
    }),
    errors: [404, 503],
    response: disconnectResultSchema,
  }) as const;

export const integrationsRoutes = defineRoutes({
  getGithub: status('github', githubStatusSchema),
  getJira: status('jira', jiraStatusSchema),
  getLinear: status('linear', linearStatusSchema),
  disconnectGithub: disconnect('github'),
  disconnectJira: disconnect('jira'),
  disconnectLinear: disconnect('linear'),
  getWebhooksStatus: {
    method: 'GET',
    path: '/api/integrations/webhooks/status',
    access: 'session',
    scopes: ['webhooks:write'],
    summary: 'Get the status of inbound webhooks',
    response: webhooksStatusSchema,
  },
  getWebSearch: {
    method: 'GET',
    path: '/api/integrations/web-search',
    access: 'session',
    summary: 'Get the web search configuration',
    response: webSearchSchema,
  },
  updateWebSearch: {
    method: 'PUT',
    path: '/api/integrations/web-search',
    access: 'admin',
    summary: 'Update the web search configuration',
    body: configureWebSearchSchema,
    response: webSearchSchema,
  },
});
