import { z } from 'zod';
import { type SearchProviderId, searchProviderSchema } from '../../contract/integrations.ts';
import { providerUrlSchema } from '../../contract/providers.ts';
import { define } from './define-setting.ts';
import { keySettingSchema } from './provider-settings.ts';

/** The key is read from the variable that the vendor's own tools read. */
const settingsOf = <P extends SearchProviderId>(
  provider: P,
  name: string,
  { keyEnvironment, url, urlEnvironment }: { keyEnvironment: string; url?: string; urlEnvironment?: string },
) => {
  const own = {
    apiKey: define({
      schema: () => keySettingSchema,
      default: undefined,
      environment: keyEnvironment,
      live: true,
      secret: true,
      description: `The API key for ${name}`,
    }),
    baseUrl: define({
      schema: () => providerUrlSchema.optional(),
      default: url,
      ...(urlEnvironment !== undefined && { environment: urlEnvironment }),
      live: true,
      description: `The base URL of ${name}`,
    }),
  };
  type Own = typeof own;
  return Object.fromEntries(
    Object.entries(own).map(([field, definition]) => [
      `integrations.webSearch.${provider}.${field}`,
      definition,
    ]),
  ) as {
    [K in keyof Own as `integrations.webSearch.${P}.${K}`]: Own[K];
  };
};

export const webSearchSettings = {
  'integrations.webSearch.enabled': define({
    schema: () => z.stringbool().or(z.boolean()),
    default: true,
    live: true,
    description: 'Allow web search',
  }),
  'integrations.webSearch.provider': define({
    schema: () => searchProviderSchema.optional(),
    default: undefined,
    live: true,
    description: 'The search provider; the first configured one unless set',
  }),
  ...settingsOf('brave', 'Brave Search', {
    keyEnvironment: 'BRAVE_API_KEY',
    url: 'https://api.search.brave.com',
  }),
  ...settingsOf('serper', 'Serper', {
    keyEnvironment: 'SERPER_API_KEY',
    url: 'https://google.serper.dev',
  }),
  ...settingsOf('tavily', 'Tavily', { keyEnvironment: 'TAVILY_API_KEY', url: 'https://api.tavily.com' }),
  ...settingsOf('searxng', 'SearXNG', {
    keyEnvironment: 'SEARXNG_API_KEY',
    urlEnvironment: 'SEARXNG_BASE_URL',
  }),
};
