import { isBuiltIn, type ProviderName } from '../../contract/providers.ts';
import type { EmbeddingProvider } from '../config/memory-settings.ts';
import { createCompatibleEmbedding } from './families/compatible-family.ts';
import { createAzureEmbedding, createOpenAIEmbedding } from './families/openai-family.ts';
import { normalizeEmbeddings } from './families/embedding-answers.ts';
import type { Connection } from './model-provider.ts';
import type { VendorEmbeddingModel } from './resolved-model.ts';

/** The purpose of an embedding: some vendors embed queries and documents differently. */
export type EmbeddingUse = 'query' | 'document';

/** How a provider is used for embeddings. */
export interface EmbeddingBackend {
  /** undefined where each customer has names of their own. */
  defaultModel?: string;
  /** Texts per request: accepted by every model, with a response that parses in a few milliseconds. */
  batch: number;
  /** Number of concurrent requests. */
  parallel: number;
  options?: (use: EmbeddingUse) => Record<string, Record<string, string>>;
  /** The options that ask for vectors of another length; absent where that is not possible. */
  dimensions?: (count: number) => Record<string, Record<string, number>>;
  /** Whether it takes lists of tokens in the place of texts; a server may not. */
  takesTokens?: true;
  /** Loads the SDK package of the vendor. */
  create(connection: Connection): Promise<(modelId: string) => VendorEmbeddingModel>;
}

const defaults = { batch: 32, parallel: 4 };
const openaiDimensions = (dimensions: number) => ({ openai: { dimensions } });

/** A server that speaks the protocol of OpenAI. */
const compatible = (name: string): EmbeddingBackend => ({
  ...defaults,
  dimensions: (dimensions) => ({ openaiCompatible: { dimensions } }),
  create: (connection) => createCompatibleEmbedding(name, connection),
});

export const embeddingBackends: Record<EmbeddingProvider, EmbeddingBackend> = {
  openai: {
    ...defaults,
    defaultModel: 'text-embedding-3-small',
    dimensions: openaiDimensions,
    takesTokens: true,
    create: createOpenAIEmbedding,
  },
  google: {
    ...defaults,
    defaultModel: 'gemini-embedding-001',
    options: (use) => ({
      google: { taskType: use === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT' },
    }),
    dimensions: (outputDimensionality) => ({ google: { outputDimensionality } }),
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createGoogle } = await import('@ai-sdk/google');
      const google = createGoogle({ apiKey, baseURL: baseUrl, fetch });
      return (modelId) => google.embeddingModel(modelId);
    },
  },
  mistral: {
    ...defaults,
    defaultModel: 'mistral-embed',
    // Its package allows no parallel calls.
    parallel: 1,
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createMistral } = await import('@ai-sdk/mistral');
      const mistral = createMistral({ apiKey, baseURL: baseUrl, fetch: normalizeEmbeddings(fetch) });
      return (modelId) => mistral.embeddingModel(modelId);
    },
  },
  cohere: {
    ...defaults,
    defaultModel: 'embed-v4.0',
    options: (use) => ({ cohere: { inputType: use === 'query' ? 'search_query' : 'search_document' } }),
    dimensions: (outputDimension) => ({ cohere: { outputDimension } }),
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createCohere } = await import('@ai-sdk/cohere');
      const cohere = createCohere({ apiKey, baseURL: baseUrl, fetch });
      return (modelId) => cohere.embeddingModel(modelId);
    },
  },
  azure: { ...defaults, dimensions: openaiDimensions, takesTokens: true, create: createAzureEmbedding },
  together: compatible('together'),
  fireworks: { ...compatible('fireworks'), defaultModel: 'nomic-ai/nomic-embed-text-v1.5' },
  ollama: {
    // A local machine is slow and embeds one text after the other.
    batch: 16,
    parallel: 1,
    defaultModel: 'nomic-embed-text',
    create: (connection) =>
      createCompatibleEmbedding('ollama', { ...connection, baseUrl: `${connection.baseUrl}/v1` }),
  },
  openrouter: {
    ...defaults,
    defaultModel: 'openai/text-embedding-3-small',
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
      const openrouter = createOpenRouter({ apiKey, baseURL: baseUrl, fetch: normalizeEmbeddings(fetch) });
      return (modelId) => openrouter.textEmbeddingModel(modelId);
    },
  },
};

const byName: Readonly<Partial<Record<ProviderName, EmbeddingBackend>>> = embeddingBackends;

/** How a provider computes embeddings; undefined for a vendor that has none. A server may have them. */
export const embeddingBackendOf = (provider: ProviderName): EmbeddingBackend | undefined =>
  isBuiltIn(provider) ? byName[provider] : { ...compatible(provider), takesTokens: true };
