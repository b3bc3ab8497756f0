import { z } from 'zod';
import { apiKeySchema, providerUrlSchema } from './providers.ts';
import { messageSchema, timestampSchema } from './primitives.ts';
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

const connectedSchema = z.boolean().meta({ description: 'Whether you connected your account' });

export const codehostStatusSchema = z
  .object({
    connected: connectedSchema,
    username: z.string().optional(),
    avatarUrl: z.string().optional(),
    scopes: z.array(z.string()),
    webhookConfigured: z.boolean().meta({
      description:
        'A secret is set, and a delivery with its signature came or the hook is seen at the vendor',
    }),
    aiTaskLabel: z.string(),
  })
  .meta({ id: 'CodehostStatus' });
export type CodehostStatus = z.output<typeof codehostStatusSchema>;

export const trackerAStatusSchema = z
  .object({
    connected: connectedSchema,
    cloudId: z.string().optional(),
    siteName: z.string().optional(),
    scopes: z.array(z.string()),
    tokenExpiry: timestampSchema.optional(),
  })
  .meta({ id: 'TrackerAStatus' });
export type TrackerAStatus = z.output<typeof trackerAStatusSchema>;

export const trackerBStatusSchema = z
  .object({
    connected: connectedSchema,
    workspaceName: z.string().optional(),
    workspaceId: z.string().optional(),
    teams: z.array(z.object({ id: z.string(), name: z.string(), key: z.string() })),
  })
  .meta({ id: 'TrackerBStatus' });
export type TrackerBStatus = z.output<typeof trackerBStatusSchema>;

const webhookStatusSchema = z.object({
  configured: z.boolean().meta({ description: 'A secret is set' }),
  lastEvent: timestampSchema.optional(),
  eventCount: z.int().optional(),
});
export const webhooksStatusSchema = z
  .object({ codehost: webhookStatusSchema, tracker_a: webhookStatusSchema, tracker_b: webhookStatusSchema })
  .meta({ id: 'InboundWebhooksStatus' });
export type WebhooksStatus = z.output<typeof webhooksStatusSchema>;

const disconnectedSchema = messageSchema.extend({
  revoked: z
    .boolean()
    .meta({ description: 'Whether the vendor agreed; what was stored is gone in any case' }),
});
export type Disconnected = z.output<typeof disconnectedSchema>;
const status = <P extends string, R extends z.ZodType>(provider: P, vendor: string, response: R) =>
  ({
    method: 'GET',
    path: `/api/integrations/${provider}`,
    access: 'session',
    summary: `Show the connection to ${vendor}`,
    response,
  }) as const;
const disconnect = <P extends string>(provider: P, vendor: string) =>
  ({
    method: 'DELETE',
    path: `/api/integrations/${provider}`,
    access: 'session',
    summary: `Take back the access to ${vendor} and forget it`,
    query: z.object({
      userId: z.string().min(1).max(200).optional().meta({
        description: 'Whose connection, your own unless set; only an administrator names others',
      }),
    }),
    response: disconnectedSchema,
  }) as const;

export const integrationsRoutes = defineRoutes({
  codehost: status('codehost', 'GitHub', codehostStatusSchema),
  trackerA: status('tracker_a', 'Jira', trackerAStatusSchema),
  trackerB: status('tracker_b', 'Linear', trackerBStatusSchema),
  disconnectCodehost: disconnect('codehost', 'GitHub'),
  disconnectTrackerA: disconnect('tracker_a', 'Jira'),
  disconnectTrackerB: disconnect('tracker_b', 'Linear'),
  webhooksStatus: {
    method: 'GET',
    path: '/api/integrations/webhooks/status',
    access: 'session',
    scopes: ['webhooks:write'],
    summary: 'Show whether webhooks come in, and when the last one came',
    response: webhooksStatusSchema,
  },
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
