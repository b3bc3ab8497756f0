import { describe, expect, it } from 'vitest';
import type { ConfigureModelProvider, ModelProviderType } from '../../../src/contract/providers.ts';
import { startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import type { Log } from '../../../src/core/log.ts';
import { auditedEvents } from '../../helpers/audit.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { storedTexts } from '../../helpers/daemon-rows.ts';
import { addUser } from '../../helpers/users.ts';

const key = 'sk-planted-0123456789abcdef';
const configure = ({ client }: TestDaemon, type: ModelProviderType, body: ConfigureModelProvider) =>
  client.providers.configure({ params: { type }, body });
const one = async ({ client }: TestDaemon, type: ModelProviderType) =>
  (await client.providers.list()).providers.find((provider) => provider.type === type);

/** A vendor that has two models and wants the key. */
const startVendor = () =>
  startLoopbackServer((response, { headers }) =>
    headers.authorization === `Bearer ${key}`
      ? response.end('{"data":[{"id":"gpt-4o"},{"id":"text-embedding-3-small"}]}')
      : response
          .writeHead(401)
          .end(JSON.stringify({ error: { message: `Wrong: ${headers.authorization}` } })),
  );

describe('the list of providers', () => {
  it('lists all fifteen providers, of which a new daemon has configured none', async () => {
    await using daemon = await startDaemon();
    const { providers, default: fallback } = await daemon.client.providers.list();
    expect(fallback).toBeNull();
    expect(providers).toHaveLength(15);
    expect(providers.every(({ configured, healthy, enabled }) => !configured && !healthy && enabled)).toBe(
      true,
    );
    expect(await daemon.client.providers.checkHealth({ params: { type: 'groq' } })).toEqual({
      provider: 'groq',
      healthy: false,
      message: 'Not configured: it needs a key',
    });
  });
});

describe('configuring a provider', () => {
  it('a configured provider works at once, survives a restart and can be removed', async () => {
    await using vendor = await startVendor();
    const baseUrl = `${vendor.url}/v1`;
    const first = await startDaemon();
    const { provider } = await configure(first, 'openai', { apiKey: key, baseUrl, defaultModel: 'gpt-4o' });
    const shown = { type: 'openai', configured: true, apiKey: '…cdef', baseUrl, defaultModel: 'gpt-4o' };
    expect(provider).toMatchObject({ ...shown, healthy: false });
    const look = await first.client.providers.checkHealth({ params: { type: 'openai' } });
    expect(look).toEqual({ provider: 'openai', healthy: true, latencyMs: expect.any(Number) as number });
    expect(await one(first, 'openai')).toMatchObject({ ...shown, healthy: true });
    expect(await first.client.providers.listModels({ params: { type: 'openai' } })).toMatchObject({
      source: 'live',
      models: [{ id: 'gpt-4o', provider: 'openai', name: 'gpt-4o', contextWindow: 128_000 }],
    });
    expect((await first.client.chat.listModels({ query: {} })).models).toHaveLength(1);
    expect(await auditedEvents(first)).toContain('provider.configure ok');
    await first.stop();

    await using daemon = await startDaemon({ home: first.home });
    expect((await daemon.client.providers.list()).default).toEqual({ provider: 'openai', model: 'gpt-4o' });
    await configure(daemon, 'openai', { enabled: false });
    expect((await daemon.client.providers.list()).default).toBeNull();
    await configure(daemon, 'openai', { apiKey: null, baseUrl: null, defaultModel: null, enabled: true });
    expect(await one(daemon, 'openai')).not.toHaveProperty('apiKey');
    expect(await one(daemon, 'openai')).toMatchObject({
      configured: false,
      baseUrl: 'https://api.openai.com/v1',
    });
  });

  it.each<[string, ModelProviderType, ConfigureModelProvider]>([
    ['another path', 'openai', { baseUrl: 'https://one.example/v2' }],
    ['the same again', 'openai', { baseUrl: 'https://one.example/v1' }],
    ['a key with the address', 'openai', { baseUrl: 'https://two.example/v1', apiKey: key }],
  ])('keeps the provider key with %s', async (_, type, change) => {
    await using daemon = await startDaemon();
    await configure(daemon, type, { baseUrl: 'https://one.example/v1', apiKey: key });
    expect((await configure(daemon, type, change)).provider).toMatchObject({ apiKey: '…cdef' });
  });

  it.each<[string, ModelProviderType, ConfigureModelProvider]>([
    ['host', 'openai', { baseUrl: 'https://two.example/v1' }],
    ['port', 'openai', { baseUrl: 'https://one.example:8443/v1' }],
    ['scheme', 'openai', { baseUrl: 'http://one.example/v1' }],
    ['default', 'openai', { baseUrl: null }],
  ])('clears the key when the address gets another %s', async (_, type, change) => {
    await using daemon = await startDaemon();
    await configure(daemon, type, { baseUrl: 'https://one.example/v1', apiKey: key });
    const { provider } = await configure(daemon, type, change);
    expect(provider).not.toHaveProperty('apiKey');
    expect(daemon.app.config.secret('providers.openai.apiKey')).toBeUndefined();
  });

  it('clears the key of Azure when its resource changes', async () => {
    await using daemon = await startDaemon();
    const azure = { apiKey: key, resourceName: 'ours', apiVersion: '2024-10-21' };
    expect((await configure(daemon, 'azure', azure)).provider).toMatchObject({
      configured: true,
      apiKey: '…cdef',
      baseUrl: 'https://ours.openai.azure.com/openai',
      apiVersion: '2024-10-21',
    });
    const { provider } = await configure(daemon, 'azure', { resourceName: 'theirs' });
    expect(provider).toMatchObject({ configured: false, resourceName: 'theirs' });
  });

  it('a setting cannot bypass the checks of a provider address', async () => {
    await using daemon = await startDaemon();
    await configure(daemon, 'openai', { apiKey: key });
    const setting = 'providers.openai.baseUrl';
    await expect(
      daemon.client.config.update({ params: { key: setting }, body: { value: 'not a url' } }),
    ).rejects.toMatchObject({ status: 400 });
    expect(daemon.app.config.secret('providers.openai.apiKey')).toBe(key);
    await daemon.client.config.update({ params: { key: setting }, body: { value: 'https://two.example' } });
    expect(daemon.app.config.secret('providers.openai.apiKey')).toBeUndefined();
  });

  it.each<[string, ModelProviderType, object]>([
    ['a password in the address', 'openai', { baseUrl: 'https://me:secret@one.example/v1' }],
    ['a query in the address', 'openai', { baseUrl: 'https://one.example/v1?key=1' }],
    ['no address', 'openai', { baseUrl: 'one' }],
    ['another scheme', 'openai', { baseUrl: 'file:///etc/passwd' }],
    ['a key of two lines', 'openai', { apiKey: 'a\r\nb' }],
    ['a resource that is a host', 'azure', { resourceName: 'evil.example/' }],
    ['a resource of another vendor', 'openai', { resourceName: 'ours' }],
  ])('rejects %s for a provider', async (_, type, body) => {
    await using daemon = await startDaemon();
    await expect(configure(daemon, type, body)).rejects.toMatchObject({ status: 400 });
    expect(await one(daemon, type)).toMatchObject({ configured: false });
  });

  it('only administrators configure providers', async () => {
    await using daemon = await startDaemon();
    const { client } = await addUser(daemon, 'ann');
    const change = client.providers.configure({ params: { type: 'openai' }, body: { apiKey: key } });
    await expect(change).rejects.toMatchObject({ status: 403 });
    await expect(client.providers.setDefault({ body: { provider: 'openai' } })).rejects.toMatchObject({
      status: 403,
    });
    expect((await client.providers.list()).providers).toHaveLength(15);
  });
});

describe('the default provider', () => {
  it('the default provider is the selected one', async () => {
    await using daemon = await startDaemon();
    await configure(daemon, 'anthropic', { apiKey: key });
    await configure(daemon, 'groq', { apiKey: key });
    const choice = { provider: 'groq' as const, model: 'llama-3.3-70b-versatile' };
    expect(await daemon.client.providers.setDefault({ body: choice })).toEqual({ default: choice });
    expect((await daemon.client.providers.list()).default).toEqual(choice);
    await daemon.client.providers.setDefault({ body: { provider: 'anthropic' } });
    expect((await daemon.client.providers.list()).default).toMatchObject({ provider: 'anthropic' });
    expect(await auditedEvents(daemon)).toContain('provider.set_default ok');
  });
});

describe('a model server on the same machine', () => {
  it('sends requests to a local model server once an administrator has configured it', async () => {
    await using server = await startLoopbackServer((response, { path }) =>
      path === '/api/tags'
        ? response.end('{"models":[{"name":"llama3.2:latest","model":"llama3.2:latest"}]}')
        : response.writeHead(404).end(),
    );
    await using daemon = await startDaemon();
    await expect(daemon.client.providers.listModels({ params: { type: 'ollama' } })).rejects.toMatchObject({
      status: 503,
    });
    await configure(daemon, 'ollama', { baseUrl: `${server.url}/v1` });
    expect(await daemon.client.providers.listModels({ params: { type: 'ollama' } })).toEqual({
      models: [{ id: 'llama3.2:latest', provider: 'ollama', name: 'llama3.2:latest' }],
      source: 'live',
    });
    expect(await daemon.client.providers.checkHealth({ params: { type: 'ollama' } })).toMatchObject({
      healthy: true,
    });
    expect(await daemon.app.modelProviders.resolve({}, undefined)).toMatchObject({
      provider: 'ollama',
      modelId: 'llama3.2:latest',
    });
  });

  it('a local model server has the usual address by default', async () => {
    await using daemon = await startDaemon();
    expect((await configure(daemon, 'ollama', {})).provider).toMatchObject({
      configured: true,
      baseUrl: 'http://127.0.0.1:11434',
    });
  });

  it('a local model server is never reached at the metadata address of a cloud', async () => {
    await using daemon = await startDaemon({
      flags: { 'providers.ollama.baseUrl': 'http://169.254.169.254' },
    });
    expect(await daemon.client.providers.checkHealth({ params: { type: 'ollama' } })).toMatchObject({
      healthy: false,
      message: expect.stringContaining('not a public address') as string,
    });
  });
});

describe('the check of a provider', () => {
  it('checks a provider once for many callers, and again after a change', async () => {
    const release = Promise.withResolvers<void>();
    await using vendor = await startLoopbackServer((response) => {
      void release.promise.then(() => response.end('{"data":[]}'));
    });
    await using daemon = await startDaemon();
    await configure(daemon, 'openai', { apiKey: key, baseUrl: vendor.url });
    const looks = Array.from({ length: 5 }, () => daemon.app.modelProviders.health('openai'));
    await expect.poll(() => vendor.requests.length).toBe(1);
    release.resolve();
    expect((await Promise.all(looks)).every(({ healthy }) => healthy)).toBe(true);
    expect(vendor.requests).toHaveLength(1);
    expect(await one(daemon, 'openai')).toMatchObject({ healthy: true });
    await configure(daemon, 'openai', { defaultModel: 'x' });
    expect(await one(daemon, 'openai')).toMatchObject({ healthy: false });
  });
});

describe('a provider key', () => {
  it('no answer, log, database or file contains a provider key', async () => {
    const lines: string[] = [];
    const note = (fields: object, message: string) => {
      lines.push(
        `${message} ${JSON.stringify(fields, (_, each: unknown) => (each instanceof Error ? `${each.stack} ${JSON.stringify(Object.entries(each))}` : each))}`,
      );
    };
    const log: Log = { debug: note, info: note, warn: note, error: note };
    await using vendor = await startLoopbackServer((response, { headers }) =>
      response.writeHead(401).end(JSON.stringify({ error: { message: `Bad key ${headers.authorization}` } })),
    );
    await using daemon = await startDaemon({ log });
    const answers: unknown[] = [
      await configure(daemon, 'openai', { apiKey: key, baseUrl: vendor.url }),
      await daemon.client.providers.checkHealth({ params: { type: 'openai' } }),
      await daemon.client.providers.listModels({ params: { type: 'openai' } }).catch(String),
      await daemon.client.chat.listModels({ query: {} }),
      await daemon.client.providers.list(),
      await daemon.client.config.list(),
      await configure(daemon, 'openai', { apiKey: key, baseUrl: 'nonsense' }).catch(String),
    ];
    expect(vendor.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(JSON.stringify(answers)).toContain('refuses the key');
    await daemon.stop();
    const stored = await storedTexts(daemon);
    expect(stored.join('')).toContain('baseUrl');
    for (const text of [JSON.stringify(answers), lines.join('\n'), ...stored])
      expect(text).not.toMatch(/planted-0123|0123456789abcdef/);
  });
});
