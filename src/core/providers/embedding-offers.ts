import type { EmbeddingProvider } from '../config/memory-settings.ts';
import { createCompatibleEmbedding } from './families/compatible-family.ts';
import { createAzureEmbedding, createOpenAIEmbedding } from './families/openai-family.ts';
import { inNumbersAndOrder } from './families/embedding-answers.ts';
import type { Connection } from './model-provider.ts';
import type { VendorEmbeddingModel } from './resolved-model.ts';

/** What a vector is for: some vendors make those of questions in another way than those of what is searched. */
export type EmbeddingUse = 'query' | 'document';

/** The models of a provider that make vectors of texts. */
export interface EmbeddingOffer {
  /** undefined where only the customer knows the names. */
  usualModel?: string;
  /** Texts in a request: as many as every model takes, and an answer that is read in a few milliseconds. */
  batch: number;
  /** Requests at a time. */
  parallel: number;
  options?: (use: EmbeddingUse) => Record<string, Record<string, string>>;
  /** Loads the package of the vendor. */
  create(connection: Connection): Promise<(modelId: string) => VendorEmbeddingModel>;
}

const usual = { batch: 32, parallel: 4 };

export const embeddingOffers: Record<EmbeddingProvider, EmbeddingOffer> = {
  openai: { ...usual, usualModel: 'text-embedding-3-small', create: createOpenAIEmbedding },
  google: {
    ...usual,
    usualModel: 'gemini-embedding-001',
    options: (use) => ({
      google: { taskType: use === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT' },
    }),
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createGoogle } = await import('@ai-sdk/google');
      const google = createGoogle({ apiKey, baseURL: baseUrl, fetch });
      return (modelId) => google.embeddingModel(modelId);
    },
  },
  mistral: {
    ...usual,
    usualModel: 'mistral-embed',
    // Its package knows that it takes one after the other.
    parallel: 1,
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createMistral } = await import('@ai-sdk/mistral');
      const mistral = createMistral({ apiKey, baseURL: baseUrl, fetch: inNumbersAndOrder(fetch) });
      return (modelId) => mistral.embeddingModel(modelId);
    },
  },
  cohere: {
    ...usual,
    usualModel: 'embed-v4.0',
    options: (use) => ({ cohere: { inputType: use === 'query' ? 'search_query' : 'search_document' } }),
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createCohere } = await import('@ai-sdk/cohere');
      const cohere = createCohere({ apiKey, baseURL: baseUrl, fetch });
      return (modelId) => cohere.embeddingModel(modelId);
    },
  },
  azure: { ...usual, create: createAzureEmbedding },
  together: { ...usual, create: (connection) => createCompatibleEmbedding('together', connection) },
  fireworks: {
    ...usual,
    usualModel: 'nomic-ai/nomic-embed-text-v1.5',
    create: (connection) => createCompatibleEmbedding('fireworks', connection),
  },
  ollama: {
    // A small machine takes long for each text, and does one after the other.
    batch: 16,
    parallel: 1,
    usualModel: 'nomic-embed-text',
    create: (connection) =>
      createCompatibleEmbedding('ollama', { ...connection, baseUrl: `${connection.baseUrl}/v1` }),
  },
  openrouter: {
    ...usual,
    usualModel: 'openai/text-embedding-3-small',
    create: async ({ apiKey, baseUrl, fetch }) => {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
      const openrouter = createOpenRouter({ apiKey, baseURL: baseUrl, fetch: inNumbersAndOrder(fetch) });
      return (modelId) => openrouter.textEmbeddingModel(modelId);
    },
  },
};
