import type { ModelFetch } from '../../outbound/model-fetch.ts';
import type { Connection } from '../model-provider.ts';

export async function createCohere({ apiKey, baseUrl, fetch }: Connection) {
  const sdk = await import('@ai-sdk/cohere');
  return sdk.createCohere({ apiKey, baseURL: baseUrl, fetch: withoutCitations(fetch) });
}

/**
 * The package refuses a whole answer whose citations point at the results of tools, which is what they do once there are
 * tools. Nobody reads citations here.
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
    // The package says what is wrong with it.
    return text;
  }
}
