import { describe, expect, it } from 'vitest';
import type { SearchProviderId } from '../../../src/contract/integrations.ts';
import { AppError } from '../../../src/core/errors.ts';
import { startLoopbackServer } from '../outbound/loopback-server.ts';
import { ownRecording, play } from './recordings.ts';
import { createWebSearch, key, providerAt } from './search-setup.ts';

/** The error of a failing search; checks that it does not contain the key. */
async function failureOf(id: SearchProviderId, url: string, signal?: AbortSignal): Promise<AppError> {
  await using search = await createWebSearch(providerAt(id, url));
  const error = await search.webSearch.search('x', { limit: 5, signal }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AppError);
  const { message, stack, cause } = error as AppError;
  expect(`${message} ${stack} ${String(cause)} ${JSON.stringify(cause)}`).not.toMatch(/planted|456789abcdef/);
  return error as AppError;
}
async function failureAfter(
  id: SearchProviderId,
  status: number,
  body: unknown = {},
  headers: Record<string, string> = {},
) {
  await using server = await startLoopbackServer((response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body)),
  );
  return await failureOf(id, server.url);
}

describe('a failed web search', () => {
  it.each<[SearchProviderId, number, unknown, string]>([
    ['serper', 403, { message: `Unauthorized: ${key}`, statusCode: 403 }, 'Serper rejected the key.'],
    ['tavily', 401, { detail: { error: `Unauthorized: ${key}` } }, 'Tavily rejected the key.'],
    ['brave', 401, '', 'Brave Search rejected the key.'],
    ['searxng', 401, '<html>', 'SearXNG rejected the key.'],
    ['searxng', 403, '<html>', 'search.formats in its settings.yml'],
    [
      'serper',
      400,
      { message: 'Not enough credits' },
      'The quota of the Serper plan is exhausted: Not enough credits',
    ],
    [
      'tavily',
      432,
      { detail: { error: 'Over your limit' } },
      'The quota of the Tavily plan is exhausted: Over your limit',
    ],
    ['tavily', 433, '', 'The quota of the Tavily plan is exhausted'],
    ['brave', 402, '', 'The quota of the Brave Search plan is exhausted'],
    ['brave', 429, { error: { code: 'QUOTA_LIMITED' } }, 'The quota of the Brave Search plan is exhausted'],
    ['brave', 429, '', 'Brave Search is rate-limiting requests. Try again later.'],
    ['tavily', 500, 'x', 'Tavily is unavailable (500)'],
    ['serper', 302, '', 'check integrations.webSearch.serper.baseUrl'],
    ['serper', 404, '<html>', 'Serper rejected the request (404)'],
    [
      'tavily',
      400,
      { detail: { error: `Bad ${key}\nquery` } },
      'Tavily rejected the request (400): Bad •••• query',
    ],
  ])('reports what is wrong for %s and the status %i', async (id, status, body, message) => {
    const error = await failureAfter(id, status, body);
    expect(error.code).toBe(message.includes('rate-limiting') ? 'rate_limited' : 'unavailable');
    expect(error.message).toContain(message);
  });

  it('names the setting of a rejected key', async () => {
    await using server = await play(ownRecording('brave-wrong-key'));
    expect((await failureOf('brave', server.url)).message).toBe(
      'Brave Search rejected the key. Set another: svc config set integrations.webSearch.brave.apiKey',
    );
  });

  it('names the time to wait if the provider sends it', async () => {
    expect(await failureAfter('tavily', 429, '', { 'retry-after': '17' })).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 17_000,
      message: 'Tavily is rate-limiting requests. Try again in 17 s.',
    });
    await using server = await play(ownRecording('brave-too-many'));
    expect((await failureOf('brave', server.url)).retryAfterMs).toBeUndefined();
  });

  it('names the setting of a missing key', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(401).end());
    await using search = await createWebSearch({ 'integrations.webSearch.searxng.baseUrl': server.url });
    await expect(search.webSearch.search('x', { limit: 5 })).rejects.toThrow(
      'SearXNG requires a key: svc config set integrations.webSearch.searxng.apiKey',
    );
  });
});

describe('an invalid response of a search provider', () => {
  it.each([
    ['is not JSON', '<html>Welcome</html>', 'Serper did not return JSON'],
    ['has another shape', { organic: 'none' }, 'Serper returned an unexpected response'],
    ['is null', 'null', 'Serper returned an unexpected response'],
    ['is too long', 'x'.repeat(3_000_000), 'longer than'],
  ])('reports a search response that %s', async (_, body, message) => {
    expect((await failureAfter('serper', 200, body)).message).toContain(message);
  });

  it('reports a search server that cannot be reached', async () => {
    const server = await startLoopbackServer(() => undefined);
    await server[Symbol.asyncDispose]();
    expect((await failureOf('serper', server.url)).message).toBe(
      `The request to Serper failed: 127.0.0.1:${server.port} cannot be reached: it refuses the connection`,
    );
  });
});

it('a web search stops when the caller aborts', async () => {
  await using server = await startLoopbackServer(() => undefined);
  await using search = await createWebSearch(providerAt('tavily', server.url));
  const controller = new AbortController();
  const searching = search.webSearch.search('x', { limit: 5, signal: controller.signal });
  const failed = expect(searching).rejects.toThrow('cancelled');
  await expect.poll(() => server.requests.length).toBe(1);
  controller.abort(new Error('cancelled'));
  await failed;
});
