import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/core/providers/model-choice.ts';
import type { Flags } from '../../../src/core/config/config.ts';
import { startLoopbackServer } from '../outbound/loopback-server.ts';
import { createProviders } from './provider-parts.ts';

interface Vendor {
  /** The list; undefined where it fails. */
  list?: object | undefined;
  /** The names that have a page of their own. */
  pages?: readonly string[];
  flags?: Flags;
}

/** What a vendor with these models says of a request. */
async function check(request: ModelRequest, { list, pages = [], flags = {} }: Vendor) {
  await using vendor = await startLoopbackServer((response, { path }) => {
    const name = decodeURIComponent(/\/models\/([^?]+)/.exec(path)?.[1] ?? '');
    if (name === '') return list ? response.end(JSON.stringify(list)) : response.writeHead(500).end();
    return pages.includes(name)
      ? response.end(JSON.stringify({ id: name }))
      : response.writeHead(404).end('{"error":{"message":"no such model"}}');
  });
  await using parts = await createProviders({
    flags: {
      'providers.anthropic.apiKey': 'k',
      'providers.servers': { mine: { baseUrl: vendor.url, enabled: true } },
      ...flags,
    },
    redirect: ({ pathname, search }) => `${vendor.url}${pathname}${search}`,
  });
  const verdict = await parts.providers.checkModel(request).catch((error: Error) => error);
  return { verdict, asked: vendor.requests.map(({ path }) => path) };
}

const claude = {
  data: [{ id: 'claude-sonnet-4-20250514' }, { id: 'claude-sonnet-4-6' }, { id: 'claude-opus-4' }],
};
const local = { data: [{ id: 'qwen3-coder:30b' }, { id: 'llama3.2:latest' }, { id: 'bge-embed' }] };

describe('the check of a model', () => {
  it('rejects a name that the provider neither lists nor describes, and names the closest ones', async () => {
    const { verdict, asked } = await check(
      { provider: 'anthropic', model: 'claude-sonet-4' },
      { list: claude },
    );
    const message =
      'claude-sonet-4 is not a model of anthropic. Did you mean claude-sonnet-4-6 or claude-opus-4?';
    expect(verdict).toMatchObject({ code: 'validation', message, details: [{ path: 'model', message }] });
    expect(asked).toEqual(['/v1/models?limit=1000', '/v1/models/claude-sonet-4']);
  });

  it('says where to see the models if none is close', async () => {
    const { verdict } = await check({ model: 'mine/zork' }, { list: local });
    expect(verdict).toMatchObject({
      message: 'zork is not a model of mine. See its models: svc providers models mine',
    });
  });

  it.each<[string, ModelRequest, Vendor]>([
    ['a listed name', { model: 'mine/qwen3-coder:30b' }, { list: local }],
    ['a listed name that is not for chat', { model: 'mine/bge-embed' }, { list: local }],
    ['a name without its tag', { provider: 'mine', model: 'llama3.2' }, { list: local }],
    [
      'an alias that has a page',
      { provider: 'anthropic', model: 'claude-sonnet-latest' },
      { list: claude, pages: ['claude-sonnet-latest'] },
    ],
    ['a name in the dated list', { provider: 'anthropic', model: 'claude-haiku-4-5' }, { list: claude }],
    ['any name where the list is empty', { model: 'mine/zork' }, { list: { data: [] } }],
    [
      'any name where the list has a pattern',
      { model: 'mine/zork' },
      { list: { data: [{ id: 'openai/*' }] } },
    ],
    [
      'any name at llama.cpp',
      { model: 'mine/zork' },
      { list: { data: [{ id: 'x.gguf', owned_by: 'llamacpp' }] } },
    ],
    [
      'the default model that an administrator set',
      { model: 'mine/zork' },
      {
        list: local,
        flags: {
          'providers.servers': {
            mine: { baseUrl: 'http://127.0.0.1:1', defaultModel: 'zork', enabled: true },
          },
        },
      },
    ],
    ['a request without a model', { provider: 'mine' }, {}],
    [
      'a deployment of Azure, which has no list',
      { provider: 'azure', model: 'ours' },
      { flags: { 'providers.azure.apiKey': 'k', 'providers.azure.resourceName': 'r' } },
    ],
    [
      'a variant of a model at OpenRouter',
      { provider: 'openrouter', model: 'a/b:free' },
      { list: { data: [{ id: 'a/b' }] }, flags: { 'providers.openrouter.apiKey': 'k' } },
    ],
    [
      'a tuned model of Google',
      { provider: 'google', model: 'tunedModels/x' },
      { list: { models: [{ name: 'models/gemini-x' }] }, flags: { 'providers.google.apiKey': 'k' } },
    ],
  ])('accepts %s', async (_, request, vendor) => {
    expect((await check(request, vendor)).verdict).toBeUndefined();
  });

  it.each<[string, ModelRequest, Vendor, RegExp]>([
    [
      'the list cannot be read',
      { model: 'mine/zork' },
      {},
      /^mine cannot answer now.*, so the model "zork" was not checked\.$/,
    ],
    [
      'the list is partial',
      { provider: 'fireworks', model: 'accounts/me/models/x' },
      { list: { data: [{ id: 'y' }] }, flags: { 'providers.fireworks.apiKey': 'k' } },
      /lists only a part of its models/,
    ],
    [
      'the vendor has no list',
      { provider: 'perplexity', model: 'sonarx' },
      { flags: { 'providers.perplexity.apiKey': 'k' } },
      /does not list its models/,
    ],
  ])('accepts a name with a warning where %s', async (_, request, vendor, warning) => {
    expect((await check(request, vendor)).verdict).toMatch(warning);
  });

  it('takes an answer with a list for no page of the model', async () => {
    await using vendor = await startLoopbackServer((response) => response.end(JSON.stringify(local)));
    await using parts = await createProviders({
      flags: { 'providers.servers': { mine: { baseUrl: vendor.url, enabled: true } } },
    });
    await expect(parts.providers.checkModel({ model: 'mine/zork' })).rejects.toThrow('not a model of mine');
  });

  it('asks for the list once for several names that it has', async () => {
    await using vendor = await startLoopbackServer((response) => response.end(JSON.stringify(local)));
    await using parts = await createProviders({
      flags: { 'providers.servers': { mine: { baseUrl: vendor.url, enabled: true } } },
    });
    for (const model of ['mine/llama3.2', 'mine/qwen3-coder:30b', 'mine/llama3.2'])
      expect(await parts.providers.checkModel({ model })).toBeUndefined();
    expect(vendor.requests).toHaveLength(1);
  });

  it('does not follow a name out of the list of models', async () => {
    const { asked } = await check({ model: 'mine/..' }, { list: local });
    expect(asked).toEqual(['/v1/models']);
    expect((await check({ model: 'mine/../../x' }, { list: local })).asked).toEqual([
      '/v1/models',
      '/v1/models/..%2F..%2Fx',
    ]);
  });
});
