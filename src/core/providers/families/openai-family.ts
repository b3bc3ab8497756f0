import type { ModelFetch } from '../../outbound/model-fetch.ts';
import { type Connection, isDated } from '../model-provider.ts';
import { inNumbersAndOrder } from './embedding-answers.ts';

/**
 * OpenAI itself answers on its newer API, where the reasoning models show what they can do. Other servers that speak its
 * protocol mostly know the chat completions alone.
 */
export async function createOpenAI({ isVendors, apiKey, baseUrl, fetch }: Connection) {
  const sdk = await import('@ai-sdk/openai');
  const openai = sdk.createOpenAI({ apiKey, baseURL: baseUrl, fetch });
  return (modelId: string) => (isVendors ? openai.responses(modelId) : openai.chat(modelId));
}

export async function createOpenAIEmbedding({ apiKey, baseUrl, fetch }: Connection) {
  const sdk = await import('@ai-sdk/openai');
  const openai = sdk.createOpenAI({ apiKey, baseURL: baseUrl, fetch: inNumbersAndOrder(fetch) });
  return (modelId: string) => openai.embeddingModel(modelId);
}

/** Dated versions of the API have only chat completions in common. */
export async function createAzure(connection: Connection) {
  const openaiOf = await createAzureOpenAI(connection);
  return (deployment: string) =>
    isDated(connection.apiVersion)
      ? openaiOf(deployment).chat(deployment)
      : openaiOf(deployment).responses(deployment);
}

export async function createAzureEmbedding({ fetch, ...connection }: Connection) {
  const openaiOf = await createAzureOpenAI({ ...connection, fetch: inNumbersAndOrder(fetch) });
  return (deployment: string) => openaiOf(deployment).embeddingModel(deployment);
}

/**
 * OpenAI's own package knows which parameters its models take, also below Azure; what differs is the header of the key,
 * the query, and that dated versions of the API have the deployment in the path.
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
    // Azure would take a bearer for a token of Entra.
    headers.delete('authorization');
    headers.set('api-key', apiKey);
    return fetch(url, { ...init, headers });
  };
}
