import { describe, expect, it } from 'vitest';
import { webSearchTool } from '../../../../src/core/tools/internet/web-search.ts';
import { ownRecording, play } from '../../web-search/recordings.ts';
import { createWebSearch, providerAt } from '../../web-search/search-setup.ts';
import { startLoopbackServer } from '../../outbound/loopback-server.ts';
import { runTool } from './run-tool.ts';

describe('web_search', () => {
  it('returns a numbered list that is marked as untrusted', async () => {
    await using server = await play(ownRecording('searxng-results'));
    await using search = await createWebSearch(providerAt('searxng', server.url));
    const tool = webSearchTool(search);
    expect(tool.unavailable?.()).toBeUndefined();
    expect(await runTool(tool, { query: ' searxng ' })).toEqual({
      content: [
        '1. Welcome to SearXNG',
        '   https://docs.searxng.org/',
        '   SearXNG is a free internet metasearch engine which aggregates results from many services.',
        '',
        '2. searxng/searxng',
        '   https://github.com/searxng/searxng',
      ].join('\n'),
      origin: 'Web search results',
    });
    expect((await runTool(tool, { query: 'searxng', limit: 1 })).content).not.toContain('2. ');
    expect(server.requests[0]?.path).toContain('q=searxng&');
  });

  it('web_search reports that nothing was found', async () => {
    await using server = await startLoopbackServer((response) => response.end('{"results":[]}'));
    await using search = await createWebSearch(providerAt('searxng', server.url));
    expect(await runTool(webSearchTool(search), { query: 'x' })).toEqual({ content: 'Nothing was found.' });
  });

  it('reports the failure of the provider to the model', async () => {
    await using server = await startLoopbackServer((response) => response.writeHead(500).end());
    await using search = await createWebSearch(providerAt('tavily', server.url));
    await expect(runTool(webSearchTool(search), { query: 'x' })).rejects.toMatchObject({
      name: 'ToolFailure',
      message: 'Tavily is unavailable (500). Try again later.',
    });
  });

  it.each([
    ['it is not configured', {}, 'Web search is not configured'],
    [
      'it is disabled',
      { ...providerAt('tavily', 'https://a.example'), 'integrations.webSearch.enabled': false },
      'Web search is disabled',
    ],
    [
      'its key is missing',
      { 'integrations.webSearch.provider': 'brave' as const },
      'Brave Search needs a key',
    ],
  ])(
    'reports web search as not available while %s, with the command to fix it',
    async (_, flags, message) => {
      await using search = await createWebSearch(flags);
      const tool = webSearchTool(search);
      expect(tool.unavailable?.()).toMatch(
        new RegExp(`^${message}.*: svc config set integrations\\.webSearch\\.`),
      );
      await expect(runTool(tool, { query: 'x' })).rejects.toMatchObject({ name: 'ToolFailure' });
    },
  );

  it.each([
    {},
    { query: ' ' },
    { query: 'x', limit: 0 },
    { query: 'x', limit: 21 },
    { query: 'x'.repeat(401) },
  ])('web_search rejects the arguments %j', async (args) => {
    await using search = await createWebSearch();
    expect(webSearchTool(search).input.safeParse(args).success).toBe(false);
  });
});
