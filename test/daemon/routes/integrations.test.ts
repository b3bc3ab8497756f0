import { describe, expect, it } from 'vitest';
import type { ConfigureWebSearch } from '../../../src/contract/integrations.ts';
import { startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { auditedEvents } from '../../helpers/audit.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { storedTexts } from '../../helpers/daemon-rows.ts';
import { addUser } from '../../helpers/users.ts';

const key = 'planted-0123456789abcdef';
const set = ({ client }: TestDaemon, body: ConfigureWebSearch) =>
  client.integrations.updateWebSearch({ body });
const show = ({ client }: TestDaemon) => client.integrations.getWebSearch();

describe('web search', () => {
  it('web search is not configured in a new daemon, and lists each provider with its requirements', async () => {
    await using daemon = await startDaemon();
    expect(await show(daemon)).toEqual({
      config: {
        enabled: true,
        provider: null,
        brave: { baseUrl: 'https://api.search.brave.com' },
        serper: { baseUrl: 'https://google.serper.dev' },
        tavily: { baseUrl: 'https://api.tavily.com' },
        searxng: {},
      },
      status: {
        available: false,
        provider: null,
        reason: expect.stringMatching(/^Web search is not configured: svc config set/) as string,
      },
      providers: [
        { id: 'brave', name: 'Brave Search', description: expect.any(String), configFields: ['apiKey'] },
        { id: 'serper', name: 'Serper', description: expect.any(String), configFields: ['apiKey'] },
        { id: 'tavily', name: 'Tavily', description: expect.any(String), configFields: ['apiKey'] },
        {
          id: 'searxng',
          name: 'SearXNG',
          description: expect.any(String),
          configFields: ['baseUrl', 'apiKey'],
        },
      ],
    });
  });

  it('web search works once it is configured, survives a restart and can be disabled', async () => {
    await using server = await startLoopbackServer((response) =>
      response.end('{"organic":[{"title":"A","link":"https://a.example/","snippet":"about a"}]}'),
    );
    const flags = { 'outbound.allowPrivate': ['127.0.0.1/32'] };
    const first = await startDaemon({ flags });
    const answer = await set(first, { provider: 'serper', serper: { apiKey: key, baseUrl: server.url } });
    expect(answer).toMatchObject({
      config: { enabled: true, provider: 'serper', serper: { apiKey: '…cdef', baseUrl: server.url } },
      status: { available: true, provider: 'serper', reason: null },
    });
    expect(await show(first)).toEqual(answer);
    await first.stop();

    await using daemon = await startDaemon({ home: first.home, flags });
    expect(await show(daemon)).toEqual(answer);
    expect(await daemon.app.webSearch.search('a', { limit: 5 })).toEqual([
      { title: 'A', url: 'https://a.example/', snippet: 'about a' },
    ]);
    expect(server.requests[0]?.headers['x-api-key']).toBe(key);

    expect((await set(daemon, { enabled: false })).status).toEqual({
      available: false,
      provider: 'serper',
      reason: 'Web search is disabled: svc config set integrations.webSearch.enabled true',
    });
    const undone = await set(daemon, {
      enabled: true,
      provider: null,
      serper: { apiKey: null, baseUrl: null },
    });
    expect(undone.config.serper).toEqual({ baseUrl: 'https://google.serper.dev' });
    expect(undone.status).toMatchObject({ available: false, provider: null });
  });

  it('web search uses the first configured provider when none is selected', async () => {
    await using daemon = await startDaemon();
    const { config, status } = await set(daemon, { tavily: { apiKey: key } });
    expect(config.provider).toBeNull();
    expect(status).toEqual({ available: true, provider: 'tavily', reason: null });
    expect((await set(daemon, { provider: 'brave' })).status).toEqual({
      available: false,
      provider: 'brave',
      reason: 'Brave Search needs a key: svc config set integrations.webSearch.brave.apiKey',
    });
    expect((await set(daemon, { provider: 'searxng' })).status).toMatchObject({
      available: false,
      reason: 'SearXNG needs its URL: svc config set integrations.webSearch.searxng.baseUrl URL',
    });
  });

  it('reports a private address, and works once it is allowed', async () => {
    await using daemon = await startDaemon();
    const { status } = await set(daemon, { searxng: { baseUrl: 'http://127.0.0.1:8888' } });
    expect(status).toEqual({
      available: false,
      provider: 'searxng',
      reason: 'Requests to 127.0.0.1 are not allowed: it is not a public address (outbound.allowPrivate)',
    });
    await daemon.client.config.update({
      params: { key: 'outbound.allowPrivate' },
      body: { value: ['127.0.0.1/32'] },
    });
    expect((await show(daemon)).status).toEqual({ available: true, provider: 'searxng', reason: null });
  });

  it('administrators change web search and every user sees it', async () => {
    await using daemon = await startDaemon();
    const { client } = await addUser(daemon, 'ann');
    await expect(
      client.integrations.updateWebSearch({ body: { serper: { apiKey: key } } }),
    ).rejects.toMatchObject({ status: 403 });
    await set(daemon, { serper: { apiKey: key } });
    expect(await client.integrations.getWebSearch()).toMatchObject({
      config: { serper: { apiKey: '…cdef' } },
      status: { available: true },
    });
  });

  it.each<[string, object]>([
    ['a provider that there is not', { provider: 'altavista' }],
    ['a password in the address', { searxng: { baseUrl: 'https://me:secret@one.example' } }],
    ['another scheme', { searxng: { baseUrl: 'file:///etc/passwd' } }],
    ['a key of two lines', { brave: { apiKey: 'a\r\nb' } }],
    ['the masked key', { brave: { apiKey: '…cdef' } }],
    ['no object', { brave: key }],
  ])('rejects %s for web search', async (_, body) => {
    await using daemon = await startDaemon();
    await expect(set(daemon, { ...body, tavily: { apiKey: key } })).rejects.toMatchObject({ status: 400 });
    expect((await show(daemon)).status.available).toBe(false);
  });
});

describe('the key of a search provider', () => {
  const one = { searxng: { baseUrl: 'https://one.example/a', apiKey: key } };

  it.each<[string, ConfigureWebSearch]>([
    ['another path', { searxng: { baseUrl: 'https://one.example/b' } }],
    ['another provider', { provider: 'brave', brave: { baseUrl: 'https://two.example' } }],
    ['a key with the address', { searxng: { baseUrl: 'https://two.example', apiKey: key } }],
  ])('keeps the search key with %s', async (_, change) => {
    await using daemon = await startDaemon();
    await set(daemon, one);
    expect((await set(daemon, change)).config.searxng.apiKey).toBe('…cdef');
  });

  it.each<[string, ConfigureWebSearch]>([
    ['host', { searxng: { baseUrl: 'https://two.example/a' } }],
    ['port', { searxng: { baseUrl: 'https://one.example:8443/a' } }],
    ['scheme', { searxng: { baseUrl: 'http://one.example/a' } }],
    ['end', { searxng: { baseUrl: null } }],
  ])('clears the search key when the address gets another %s', async (_, change) => {
    await using daemon = await startDaemon();
    await set(daemon, one);
    expect((await set(daemon, change)).config.searxng).not.toHaveProperty('apiKey');
    expect(daemon.app.config.secret('integrations.webSearch.searxng.apiKey')).toBeUndefined();
  });

  it('does not send the search key to another address, even after a change of the setting', async () => {
    await using daemon = await startDaemon();
    await set(daemon, { brave: { apiKey: key }, tavily: { apiKey: key } });
    const { config } = await set(daemon, { brave: { baseUrl: 'https://two.example' } });
    expect(config).toMatchObject({ brave: { baseUrl: 'https://two.example' }, tavily: { apiKey: '…cdef' } });
    expect(config.brave).not.toHaveProperty('apiKey');
    await daemon.client.config.update({
      params: { key: 'integrations.webSearch.tavily.baseUrl' },
      body: { value: 'https://two.example' },
    });
    expect((await show(daemon)).config.tavily).not.toHaveProperty('apiKey');
  });

  it('no answer, log entry or file contains the search key', async () => {
    await using server = await startLoopbackServer((response, { headers }) =>
      response.writeHead(401).end(JSON.stringify({ detail: { error: `Bad: ${headers.authorization}` } })),
    );
    await using daemon = await startDaemon({ flags: { 'outbound.allowPrivate': ['127.0.0.1/32'] } });
    const { app, client } = daemon;
    const answers: unknown[] = [
      await set(daemon, { tavily: { apiKey: key, baseUrl: server.url } }),
      await show(daemon),
      await client.config.list(),
      await client.audit.list({}),
      await app.webSearch.search('x', { limit: 1 }).catch(String),
      await set(daemon, { tavily: { apiKey: key, baseUrl: 'nonsense' } }).catch(String),
    ];
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(JSON.stringify(answers)).toContain('rejected the key');
    await daemon.stop();
    const stored = await storedTexts(daemon);
    expect(stored.join('')).toContain('tavily');
    for (const text of [JSON.stringify(answers), ...stored])
      expect(text).not.toMatch(/planted-0123|0123456789abcdef/);
  });
});

describe('web search from the environment', () => {
  it('environment variables alone configure web search', async () => {
    await using daemon = await startDaemon({ env: { TAVILY_API_KEY: key } });
    expect(await show(daemon)).toMatchObject({
      config: { tavily: { apiKey: '…cdef' } },
      status: { available: true, provider: 'tavily' },
    });
    const env = { SEARXNG_BASE_URL: 'https://one.example', SEARXNG_API_KEY: key };
    await using other = await startDaemon({ env });
    expect((await show(other)).config.searxng).toEqual({ baseUrl: 'https://one.example', apiKey: '…cdef' });
  });

  it.each<[string, ConfigureWebSearch, string]>([
    ['a key', { brave: { apiKey: 'another' } }, 'BRAVE_API_KEY in the environment of the daemon sets'],
    ['no key', { brave: { apiKey: null } }, 'BRAVE_API_KEY in the environment of the daemon sets'],
    [
      'where its key goes',
      { brave: { baseUrl: 'https://two.example' } },
      'BRAVE_API_KEY in the environment of the daemon sets',
    ],
    ['whether it is on', { enabled: true }, 'SVC_INTEGRATIONS_WEB_SEARCH_ENABLED in the environment'],
  ])('the environment prevents a change of %s, and nothing else changes', async (_, change, message) => {
    const env = { BRAVE_API_KEY: key, SVC_INTEGRATIONS_WEB_SEARCH_ENABLED: 'false' };
    await using daemon = await startDaemon({ env });
    const before = await show(daemon);
    await expect(set(daemon, { ...change, tavily: { apiKey: 'x'.repeat(20) } })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message) as string,
    });
    expect(await show(daemon)).toEqual(before);
    expect(await auditedEvents(daemon)).not.toContain('web_search.configure ok');
  });

  it('a setting cannot send the key of the environment to another address', async () => {
    await using daemon = await startDaemon({ env: { BRAVE_API_KEY: key } });
    const setting = 'integrations.webSearch.brave.baseUrl';
    await expect(
      daemon.client.config.update({ params: { key: setting }, body: { value: 'https://two.example' } }),
    ).rejects.toMatchObject({ status: 400 });
    expect((await show(daemon)).config.brave.baseUrl).toBe('https://api.search.brave.com');
  });
});

it('a change of web search is in the audit log, by field names', async () => {
  await using daemon = await startDaemon();
  const before = await auditedEvents(daemon);
  await set(daemon, {});
  expect(await auditedEvents(daemon)).toEqual(before);
  await set(daemon, { enabled: true, searxng: { baseUrl: 'https://one.example', apiKey: key } });
  const { entries } = await daemon.client.audit.list({ query: { tool: 'web_search.configure' } });
  expect(entries).toMatchObject([
    {
      kind: 'security',
      arguments: { changed: ['searxng.baseUrl', 'searxng.apiKey', 'enabled'] },
      result: 'ok',
      userId: 'user_owner',
    },
  ]);
});
