import { describe, expect, it } from 'vitest';
import type { SearchProviderId } from '../../../src/contract/integrations.ts';
import { AppError } from '../../../src/core/errors.ts';
import { startLoopbackServer } from '../outbound/loopback-server.ts';
import { ownRecording, play } from './recordings.ts';
import { createWebSearch, key, providerAt } from './search-parts.ts';

/** What comes of a search that does not work; the key is nowhere in it. */
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

describe('a search that a provider refuses', () => {
  it.each<[SearchProviderId, number, unknown, string]>([
    ['serper', 403, { message: `Unauthorized: ${key}`, statusCode: 403 }, 'Serper refuses the key.'],
    ['tavily', 401, { detail: { error: `Unauthorized: ${key}` } }, 'Tavily refuses the key.'],
    ['brave', 401, '', 'Brave Search refuses the key.'],
    ['searxng', 401, '<html>', 'SearXNG refuses the key.'],
    ['searxng', 403, '<html>', 'search.formats in its settings.yml'],
    ['serper', 400, { message: 'Not enough credits' }, 'The plan at Serper is used up: Not enough credits'],
    [
      'tavily',
      432,
      { detail: { error: 'Over your limit' } },
      'The plan at Tavily is used up: Over your limit',
    ],
    ['tavily', 433, '', 'The plan at Tavily is used up'],
    ['brave', 402, '', 'The plan at Brave Search is used up'],
    ['brave', 429, { error: { code: 'QUOTA_LIMITED' } }, 'The plan at Brave Search is used up'],
    ['brave', 429, '', 'Brave Search has had too many requests. Try again later.'],
    ['tavily', 500, 'x', 'Tavily is out of order now (500)'],
    ['serper', 302, '', 'check integrations.webSearch.serper.baseUrl'],
    ['serper', 404, '<html>', 'Serper refuses the request (404)'],
    [
      'tavily',
      400,
      { detail: { error: `Bad ${key}\nquery` } },
      'Tavily refuses the request (400): Bad •••• query',
    ],
  ])('%s %i says what is wrong', async (id, status, body, message) => {
    const error = await failureAfter(id, status, body);
    expect(error.code).toBe(message.includes('too many') ? 'rate_limited' : 'unavailable');
    expect(error.message).toContain(message);
  });

  it('says which setting has the key', async () => {
    await using server = await play(ownRecording('brave-wrong-key'));
    expect((await failureOf('brave', server.url)).message).toBe(
      'Brave Search refuses the key. Set another: svc config set integrations.webSearch.brave.apiKey',
    );
  });

  it('says when to try again, where the provider does', async () => {
    expect(await failureAfter('tavily', 429, '', { 'retry-after': '17' })).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 17_000,
      message: 'Tavily has had too many requests. Try again in 17 s.',
    });
    await using server = await play(ownRecording('brave-too-many'));
    expect((await failureOf('brave', server.url)).retryAfterMs).toBeUndefined();
  });

  it('says that there has to be a key where none is set', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(401).end());
    await using search = await createWebSearch({ 'integrations.webSearch.searxng.baseUrl': server.url });
    await expect(search.webSearch.search('x', { limit: 5 })).rejects.toThrow(
      'SearXNG wants a key: svc config set integrations.webSearch.searxng.apiKey',
    );
  });
});

describe('an answer that is none', () => {
  it.each([
    ['is not JSON', '<html>Welcome</html>', 'Serper did not answer with JSON'],
    ['has another shape', { organic: 'none' }, 'Serper answered in a way that svc does not know'],
    ['is null', 'null', 'Serper answered in a way that svc does not know'],
    ['is too long', 'x'.repeat(3_000_000), 'longer than'],
  ])('because it %s', async (_, body, message) => {
    expect((await failureAfter('serper', 200, body)).message).toContain(message);
  });

  it('because nobody is there', async () => {
    const server = await startLoopbackServer(() => undefined);
    await server[Symbol.asyncDispose]();
    expect((await failureOf('serper', server.url)).message).toBe(
      `Serper cannot be asked: 127.0.0.1:${server.port} cannot be reached: it refuses the connection`,
    );
  });
});

it('stops when the caller aborts', async () => {
  await using server = await startLoopbackServer(() => undefined);
  await using search = await createWebSearch(providerAt('tavily', server.url));
  const controller = new AbortController();
  const searching = search.webSearch.search('x', { limit: 5, signal: controller.signal });
  const failed = expect(searching).rejects.toThrow('cancelled');
  await expect.poll(() => server.requests.length).toBe(1);
  controller.abort(new Error('cancelled'));
  await failed;
});
