import type { ModelFetch } from '../../outbound/model-fetch.ts';
import { type Connection, isDated } from '../model-provider.ts';
import { normalizeEmbeddings } from './embedding-answers.ts';

/**
 * Uses the Responses API for OpenAI itself, which reasoning models need. Other servers with its protocol mostly support
 * chat completions only.
 */
export async function createOpenAI({ isVendorUrl, apiKey, baseUrl, fetch }: Connection) {
  const sdk = await import('@ai-sdk/openai');
  const openai = sdk.createOpenAI({ apiKey, baseURL: baseUrl, fetch });
  return (modelId: string) => (isVendorUrl ? openai.responses(modelId) : openai.chat(modelId));
}

export async function createOpenAIEmbedding({ apiKey, baseUrl, fetch }: Connection) {
  const sdk = await import('@ai-sdk/openai');
  const openai = sdk.createOpenAI({ apiKey, baseURL: baseUrl, fetch: normalizeEmbeddings(fetch) });
  return (modelId: string) => openai.embeddingModel(modelId);
}

/** Dated API versions have only chat completions in common. */
export async function createAzure(connection: Connection) {
  const openaiOf = await createAzureOpenAI(connection);
  return (deployment: string) =>
    isDated(connection.apiVersion)
      ? openaiOf(deployment).chat(deployment)
      : openaiOf(deployment).responses(deployment);
}

export async function createAzureEmbedding({ fetch, ...connection }: Connection) {
  const openaiOf = await createAzureOpenAI({ ...connection, fetch: normalizeEmbeddings(fetch) });
  return (deployment: string) => openaiOf(deployment).embeddingModel(deployment);
}

/**
 * The OpenAI package knows the parameters of its models, on Azure too; Azure differs in the header of the key, the query
 * and, for dated API versions, the deployment in the path.
 */
async function createAzureOpenAI({ apiKey, baseUrl, apiVersion, fetch }: Connection) {
  const { createOpenAI: create } = await import('@ai-sdk/openai');
  const settings = { apiKey, name: 'azure', fetch: azureFetch(fetch, apiKey, apiVersion) };
  return (deployment: string) => {
    const path = isDated(apiVersion) ? `/deployments/${encodeURIComponent(deployment)}` : '';
    return create({ ...settings, baseURL: `${baseUrl}${path}` });
  };
}

function azureFetch(fetch: ModelFetch, apiKey: string, apiVersion: string | undefined): ModelFetch {
  return (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (apiVersion !== undefined) url.searchParams.set('api-version', apiVersion);
    const headers = new Headers(init.headers);
    // Azure would read a bearer as an Entra token.
    headers.delete('authorization');
    headers.set('api-key', apiKey);
    return fetch(url, { ...init, headers });
  };
}
