import type { ModelFetch } from '../../outbound/model-fetch.ts';
import type { Connection } from '../model-provider.ts';

export async function createCohere({ apiKey, baseUrl, fetch }: Connection) {
  const sdk = await import('@ai-sdk/cohere');
  return sdk.createCohere({ apiKey, baseURL: baseUrl, fetch: withoutCitations(fetch) });
}

/**
 * Removes citations, which are not used here: the package rejects a whole answer whose citations point at tool results,
 * as they do as soon as tools are used.
 */
function withoutCitations(fetch: ModelFetch): ModelFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.ok || !response.headers.get('content-type')?.includes('json')) return response;
    const text = await response.text();
    return new Response(dropCitations(text), { status: response.status, headers: response.headers });
  };
}

function dropCitations(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) =>
      name === 'citations' ? undefined : value,
    );
  } catch {
    // The package reports the error.
    return text;
  }
}
