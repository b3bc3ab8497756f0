import { z } from 'zod';
import { pricedModelSchema, priceSchema } from '../../contract/prices.ts';
import {
  apiKeySchema,
  apiVersionSchema,
  isBuiltIn,
  type ModelProviderType,
  type ProviderName,
  providerNameSchema,
  providerUrlSchema,
  resourceNameSchema,
  serverNameSchema,
} from '../../contract/providers.ts';
import { define } from './define-setting.ts';
import { parseJsonText } from './parse-json-text.ts';
import { mask } from './secret-parts.ts';

/** How people call the vendors. */
const vendorNames: Record<ModelProviderType, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  azure: 'Azure OpenAI',
  google: 'Google Gemini',
  mistral: 'Mistral',
  groq: 'Groq',
  xai: 'xAI',
  deepseek: 'DeepSeek',
  cohere: 'Cohere',
  perplexity: 'Perplexity',
  together: 'Together',
  fireworks: 'Fireworks',
  cerebras: 'Cerebras',
  ollama: 'Ollama',
  openrouter: 'OpenRouter',
};

/** How people call a provider; a server has the name that it was given. */
export const displayName = (name: ProviderName): string => (isBuiltIn(name) ? vendorNames[name] : name);

const text = z.string().trim().max(200).optional();
/** As it is, or sealed, which is longer. */
export const keySettingSchema = z.union([
  z.string().trim().max(2000).optional(),
  z.string().startsWith('sealed:v1:').max(4000),
]);

/** The key is read from the variable that the vendor's own tools read. */
const settingsOf = <P extends ModelProviderType>(
  provider: P,
  environment: string,
  urlEnvironment?: string,
) => {
  const name = vendorNames[provider];
  const own = {
    apiKey: define({
      schema: () => keySettingSchema,
      default: undefined,
      environment,
      live: true,
      secret: true,
      description: `The API key for ${name}`,
    }),
    baseUrl: define({
      schema: () => providerUrlSchema.optional(),
      default: undefined,
      ...(urlEnvironment !== undefined && { environment: urlEnvironment }),
      live: true,
      description: `The base URL of ${name}, if not the default one`,
    }),
    defaultModel: define({
      schema: () => text,
      default: undefined,
      live: true,
      description: `The default model of ${name}`,
    }),
    enabled: define({
      schema: () => z.stringbool().or(z.boolean()),
      default: true,
      live: true,
      description: `Allow requests to ${name}`,
    }),
  };
  type Own = typeof own;
  return Object.fromEntries(
    Object.entries(own).map(([field, definition]) => [`providers.${provider}.${field}`, definition]),
  ) as {
    [K in keyof Own as `providers.${P}.${K}`]: Own[K];
  };
};

const MAX_SERVERS = 50;
/** A client sends a mask back for the key that is stored. */
const storedKey = z.union([z.literal(mask), z.string().startsWith('sealed:v1:').max(4000), apiKeySchema]);
const serverSchema = z.strictObject({
  baseUrl: providerUrlSchema,
  apiKey: storedKey.optional(),
  defaultModel: text,
  enabled: z.boolean().default(true),
});
export type ServerSettings = z.output<typeof serverSchema>;

export const serversSchema = z.preprocess(
  parseJsonText,
  z
    .record(serverNameSchema, serverSchema, {
      error: ({ code }) =>
        code === 'invalid_key'
          ? 'The name of a server has lower-case letters, digits and hyphens, at most 40'
          : 'Expected a JSON object of servers by name',
    })
    .refine(
      (servers) => !Object.keys(servers).some(isBuiltIn),
      'A server cannot have the name of a built-in provider',
    )
    .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, `At most ${MAX_SERVERS} servers`),
);

/** The origin that the key of a server is for. */
const originOfServer = (entry: unknown): string =>
  typeof entry === 'object' && entry !== null && 'baseUrl' in entry && typeof entry.baseUrl === 'string'
    ? (URL.parse(entry.baseUrl)?.origin ?? '')
    : '';

const MAX_PRICES = 2000;
const pricesSchema = z.preprocess(
  parseJsonText,
  z
    .record(pricedModelSchema, priceSchema, {
      error: ({ code }) =>
        code === 'invalid_key'
          ? 'Expected the name of a model as provider/model'
          : 'Expected a JSON object such as {"ollama/qwen3": {"input": 0, "output": 0}}',
    })
    .refine((prices) => Object.keys(prices).length <= MAX_PRICES, `At most ${MAX_PRICES} models`),
);

const MAX_ROUTES = 100;
const routesSchema = z.preprocess(
  parseJsonText,
  z
    .record(
      z.string().regex(/^[a-z0-9]+([._-][a-z0-9]+)*$/),
      z
        .array(z.string().regex(/^[a-z0-9-]+\/.{1,200}$/, 'Expected provider/model'))
        .min(1)
        .max(10),
      {
        error: ({ code }) =>
          code === 'invalid_key'
            ? 'Expected the name of a route: lower-case letters, digits, dots, hyphens and underscores'
            : 'Expected a JSON object such as {"fast": ["groq/llama-3.3-70b", "openai/gpt-5-mini"]}',
      },
    )
    .refine((routes) => Object.keys(routes).length <= MAX_ROUTES, `At most ${MAX_ROUTES} routes`),
);

export const providerSettings = {
  'chat.defaultProvider': define({
    schema: () => providerNameSchema.optional(),
    default: undefined,
    live: true,
    description: 'The default model provider; the first configured one unless set',
  }),
  'chat.defaultModel': define({
    schema: () => text,
    default: undefined,
    live: true,
    description: 'The default model of the default provider',
  }),
  'providers.servers': define({
    schema: () => serversSchema,
    default: {},
    live: true,
    secretParts: { names: ['apiKey'], destination: originOfServer },
    description: 'OpenAI-compatible servers by name: { baseUrl, apiKey, defaultModel, enabled }',
  }),
  'models.prices': define({
    schema: () => pricesSchema,
    default: {},
    live: true,
    description:
      'Prices of models by provider/model: { input, output, cachedInput, cacheWrite, asOf, source } in USD per million tokens, all but the first two optional; they replace the list prices',
  }),
  routes: define({
    schema: () => routesSchema,
    default: {},
    live: true,
    description:
      'Routes of models by name, as a JSON object: at /v1 a request for a route goes to the first of its provider/model that answers',
  }),
  ...settingsOf('anthropic', 'ANTHROPIC_API_KEY'),
  ...settingsOf('openai', 'OPENAI_API_KEY'),
  ...settingsOf('azure', 'AZURE_API_KEY'),
  'providers.azure.resourceName': define({
    schema: () => resourceNameSchema.optional(),
    default: undefined,
    live: true,
    description: 'The name of the Azure OpenAI resource',
  }),
  'providers.azure.apiVersion': define({
    schema: () => apiVersionSchema.optional(),
    default: undefined,
    live: true,
    description: 'The dated version of the Azure OpenAI API, for resources that require one',
  }),
  ...settingsOf('google', 'GEMINI_API_KEY'),
  ...settingsOf('mistral', 'MISTRAL_API_KEY'),
  ...settingsOf('groq', 'GROQ_API_KEY'),
  ...settingsOf('xai', 'XAI_API_KEY'),
  ...settingsOf('deepseek', 'DEEPSEEK_API_KEY'),
  ...settingsOf('cohere', 'COHERE_API_KEY'),
  ...settingsOf('perplexity', 'PERPLEXITY_API_KEY'),
  ...settingsOf('together', 'TOGETHER_API_KEY'),
  ...settingsOf('fireworks', 'FIREWORKS_API_KEY'),
  ...settingsOf('cerebras', 'CEREBRAS_API_KEY'),
  ...settingsOf('ollama', 'OLLAMA_API_KEY', 'OLLAMA_BASE_URL'),
  ...settingsOf('openrouter', 'OPENROUTER_API_KEY'),
};
