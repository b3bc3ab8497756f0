import type { ModelFetch } from '../../../outbound/model-fetch.ts';
import { type Connection, isDated } from '../model-provider.ts';

/**
 * OpenAI itself answers on its newer API, where the reasoning models show what they can do. Other servers that speak its
 * protocol mostly know the chat completions alone.
 */
export async function createOpenAI({ isVendors, apiKey, baseUrl, fetch }: Connection) {
  const sdk = await import('@ai-sdk/openai');
  const openai = sdk.createOpenAI({ apiKey, baseURL: baseUrl, fetch });
  return (modelId: string) => (isVendors ? openai.responses(modelId) : openai.chat(modelId));
}

/**
 * OpenAI's own package knows which parameters its models take, also below Azure; what differs is the header of the key,
 * the query, and that dated versions of the API have the deployment in the path and only chat completions in common.
 */
export async function createAzure({ apiKey, baseUrl, apiVersion, fetch }: Connection) {
  const sdk = await import('@ai-sdk/openai');
  const create = (baseURL: string) =>
    sdk.createOpenAI({ apiKey, baseURL, name: 'azure', fetch: azureFetch(fetch, apiKey, apiVersion) });
  return (deployment: string) =>
    isDated(apiVersion)
      ? create(`${baseUrl}/deployments/${encodeURIComponent(deployment)}`).chat(deployment)
      : create(baseUrl).responses(deployment);
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
