import { isBuiltIn, type ModelProviderType, type ProviderName } from '../../contract/providers.ts';
import { createCohere } from './families/cohere-family.ts';
import { createCompatible, createTogether } from './families/compatible-family.ts';
import { createAzure, createOpenAI } from './families/openai-family.ts';
import { bearer, type ModelProvider } from './model-provider.ts';

/** The defaults of most vendors: a bearer key and a list of models. */
const defaults = { needsKey: true, list: { path: '/models' }, headers: bearer } as const;

/** Every built-in provider, in the order in which the first configured one is the default. */
export const modelProviders: Record<ModelProviderType, ModelProvider> = {
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    needsKey: true,
    defaultModel: 'claude-sonnet-5-5',
    list: { path: '/models?limit=1000', cursor: 'after_id' },
    headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey, baseURL: baseUrl, fetch });
    },
  },
  openai: {
    ...defaults,
    baseUrl: 'https://api.openai.com/v1',
    defaultModel: 'gpt-5.5',
    create: createOpenAI,
  },
  azure: {
    // Its list has the models that can be deployed, not the deployments, whose names requests use.
    baseUrl: undefined,
    needsKey: true,
    headers: (apiKey) => ({ 'api-key': apiKey }),
    create: createAzure,
  },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    needsKey: true,
    defaultModel: 'gemini-3.8-flash',
    list: { path: '/models?pageSize=1000', cursor: 'pageToken' },
    headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ apiKey, baseURL: baseUrl, fetch });
    },
  },
  mistral: {
    ...defaults,
    baseUrl: 'https://api.mistral.ai/v1',
    defaultModel: 'mistral-large-latest',
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createMistral } = await import('@ai-sdk/mistral');
      return createMistral({ apiKey, baseURL: baseUrl, fetch });
    },
  },
  groq: {
    ...defaults,
    baseUrl: 'https://api.groq.com/openai/v1',
    defaultModel: 'openai/gpt-oss-120b',
    hasSlashesInIds: true,
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createGroq } = await import('@ai-sdk/groq');
      return createGroq({ apiKey, baseURL: baseUrl, fetch });
    },
  },
  xai: {
    ...defaults,
    baseUrl: 'https://api.x.ai/v1',
    defaultModel: 'grok-latest',
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createXai } = await import('@ai-sdk/xai');
      return createXai({ apiKey, baseURL: baseUrl, fetch });
    },
  },
  deepseek: {
    ...defaults,
    baseUrl: 'https://api.deepseek.com',
    defaultModel: 'deepseek-v4-flash',
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createDeepSeek } = await import('@ai-sdk/deepseek');
      return createDeepSeek({ apiKey, baseURL: baseUrl, fetch });
    },
  },
  cohere: {
    ...defaults,
    baseUrl: 'https://api.cohere.com/v2',
    defaultModel: 'command-a-03-2025',
    // The list of models is part of the older API version.
    list: { path: '/../v1/models?endpoint=chat&page_size=1000', cursor: 'page_token' },
    create: createCohere,
  },
  perplexity: {
    needsKey: true,
    headers: bearer,
    baseUrl: 'https://api.perplexity.ai',
    defaultModel: 'sonar-pro',
    healthPath: '/async/chat/completions',
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createPerplexity } = await import('@ai-sdk/perplexity');
      return createPerplexity({ apiKey, baseURL: baseUrl, fetch });
    },
  },
  together: {
    ...defaults,
    baseUrl: 'https://api.together.xyz/v1',
    defaultModel: 'openai/gpt-oss-120b',
    hasSlashesInIds: true,
    hasPartialList: true,
    create: createTogether,
  },
  fireworks: {
    ...defaults,
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    defaultModel: 'accounts/fireworks/models/gpt-oss-120b',
    hasSlashesInIds: true,
    hasPartialList: true,
    create: (connection) => createCompatible('fireworks', connection),
  },
  cerebras: {
    ...defaults,
    baseUrl: 'https://api.cerebras.ai/v1',
    defaultModel: 'gpt-oss-120b',
    create: (connection) => createCompatible('cerebras', connection),
  },
  ollama: {
    // Without a path, as in Ollama's own tools: its API is at /api, the OpenAI API at /v1.
    baseUrl: 'http://127.0.0.1:11434',
    needsKey: false,
    hasSlashesInIds: true,
    list: { path: '/api/tags', page: '/v1/models' },
    headers: bearer,
    create: (connection) =>
      createCompatible('ollama', { ...connection, baseUrl: `${connection.baseUrl}/v1` }),
  },
  openrouter: {
    ...defaults,
    baseUrl: 'https://openrouter.ai/api/v1',
    defaultModel: 'openrouter/auto',
    hasSlashesInIds: true,
    // The list of models is public.
    healthPath: '/key',
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
      // Only this mode requests usage in streams.
      const compatibility = 'strict';
      return createOpenRouter({ apiKey, baseURL: baseUrl, fetch, compatibility });
    },
  },
};

export const providerTypes = Object.keys(modelProviders) as ModelProviderType[];

/** What to know of a provider: every server speaks the chat completions API of OpenAI. */
export const definitionOf = (name: ProviderName): ModelProvider =>
  isBuiltIn(name)
    ? modelProviders[name]
    : {
        baseUrl: undefined,
        needsKey: false,
        hasSlashesInIds: true,
        list: { path: '/models' },
        headers: bearer,
        create: (connection) => createCompatible(name, connection),
      };
