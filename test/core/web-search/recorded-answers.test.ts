import { describe, expect, it } from 'vitest';
import type { SearchProviderId } from '../../../src/contract/integrations.ts';
import { hasSharedFixtures, sharedFixture } from '../../helpers/shared-fixture.ts';
import { ownRecording, play, type Recording } from './recordings.ts';
import { createWebSearch, key, providerAt } from './search-setup.ts';

async function searchIn(id: SearchProviderId, recording: Recording, limit = 20) {
  await using server = await play(recording);
  await using search = await createWebSearch(providerAt(id, server.url));
  const results = await search.webSearch.search('two words & more', { limit });
  const [request] = server.requests;
  const url = new URL(request?.path ?? '', server.url);
  return { results, request, path: url.pathname, query: Object.fromEntries(url.searchParams) };
}

describe('a web search', () => {
  it('follows the documented API of Brave', async () => {
    const { results, request, path, query } = await searchIn('brave', ownRecording('brave-results'));
    expect(request).toMatchObject({ method: 'GET', headers: { 'x-subscription-token': key } });
    expect(path).toBe('/res/v1/web/search');
    expect(query).toMatchObject({ q: 'two words & more', count: '20' });
    expect(results).toEqual([
      {
        title: 'Brave Search & its index',
        url: 'https://brave.com/search/',
        snippet: "The independent search engine: it's <private> by default.",
      },
      {
        title: 'Brave Search - Wikipedia',
        url: 'https://en.wikipedia.org/wiki/Brave_Search',
        snippet: 'Brave Search is a search engine developed by Brave Software.',
      },
    ]);
  });

  it('follows the documented API of SearXNG', async () => {
    const { results, request, path, query } = await searchIn('searxng', ownRecording('searxng-results'));
    expect(request).toMatchObject({ method: 'GET', headers: { authorization: `Bearer ${key}` } });
    expect(path).toBe('/search');
    expect(query).toEqual({ q: 'two words & more', format: 'json' });
    expect(results).toEqual([
      {
        title: 'Welcome to SearXNG',
        url: 'https://docs.searxng.org/',
        snippet: 'SearXNG is a free internet metasearch engine which aggregates results from many services.',
      },
      { title: 'searxng/searxng', url: 'https://github.com/searxng/searxng', snippet: '' },
    ]);
  });

  it('uses SearXNG without a key and with a path in its base URL', async () => {
    await using server = await play(ownRecording('searxng-results'));
    await using search = await createWebSearch({
      'integrations.webSearch.searxng.baseUrl': `${server.url}/searxng/`,
    });
    expect(await search.webSearch.search('x', { limit: 1 })).toHaveLength(1);
    expect(server.requests[0]?.path).toBe('/searxng/search?q=x&format=json');
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it.runIf(hasSharedFixtures)('follows the recorded API of Serper', async () => {
    const recording = sharedFixture<Recording>('websearch/serper-12.json') as Recording;
    const { results, request, path } = await searchIn('serper', recording);
    expect(request).toMatchObject({ method: recording.request.method, headers: { 'x-api-key': key } });
    expect(path).toBe(recording.request.path);
    expect(JSON.parse(request?.body ?? '')).toEqual({ q: 'two words & more', num: 20 });
    expect(results).toHaveLength(10);
    expect(results[0]).toEqual({
      title: '2022 FIFA World Cup final - Wikipedia',
      url: 'https://en.wikipedia.org/wiki/2022_FIFA_World_Cup_final',
      snippet: expect.stringMatching(/^France finished first in Group D/) as string,
    });
    expect(await searchIn('serper', recording, 3)).toMatchObject({ results: results.slice(0, 3) });
  });

  it.runIf(hasSharedFixtures).each(['tavily-0', 'tavily-3', 'tavily-6', 'tavily-9'])(
    'follows the recorded API of Tavily: %s',
    async (name) => {
      const recording = sharedFixture<Recording>(`websearch/${name}.json`) as Recording;
      const { results, request, path } = await searchIn('tavily', recording);
      expect(request).toMatchObject({
        method: recording.request.method,
        headers: { authorization: `Bearer ${key}` },
      });
      expect(path).toBe(recording.request.path);
      expect(JSON.parse(request?.body ?? '')).toEqual({ query: 'two words & more', max_results: 20 });
      const { results: theirs } = recording.response.body as { results: { url: string; title: string }[] };
      expect(results.length).toBeGreaterThan(0);
      expect(results.map(({ url, title }) => ({ url, title }))).toEqual(
        theirs.map(({ url, title }) => ({ url, title })),
      );
      for (const { snippet } of results) expect(snippet).toMatch(/^[^\n]{20,1000}$/);
    },
  );
});

describe('the response of a search provider', () => {
  const recordingOf = (body: unknown): Recording => ({
    ...ownRecording('searxng-results'),
    response: { status: 200, headers: {}, body },
  });

  it('keeps valid results next to invalid ones', async () => {
    const good = { url: 'https://a.example/', title: 'A' };
    const bad = [null, 'x', {}, { url: 1 }, { url: 'javascript:alert(1)', title: 'B' }, { url: 'http://[' }];
    const { results } = await searchIn('searxng', recordingOf({ results: [...bad, good] }));
    expect(results).toEqual([{ ...good, snippet: '' }]);
  });

  it('keeps a result from imitating others, and limits its length', async () => {
    const forged = { url: 'https://a.example/', title: 'A\n\n2. B\u2028C', content: 'x'.repeat(5000) };
    const { results } = await searchIn('searxng', recordingOf({ results: [forged] }));
    expect(results[0]).toMatchObject({ title: 'A 2. B C', snippet: `${'x'.repeat(999)}…` });
  });

  it('accepts a response without results', async () => {
    expect((await searchIn('searxng', recordingOf({ results: [] }))).results).toEqual([]);
    expect((await searchIn('brave', recordingOf({ type: 'search', query: {} }))).results).toEqual([]);
  });
});
