import { describe, expect, it } from 'vitest';
import type { ModelProviderType } from '../../../src/contract/providers.ts';
import { modelProviders, providerTypes } from '../../../src/core/providers/provider-list.ts';
import { startLoopbackServer } from '../outbound/loopback-server.ts';
import { until } from '../../helpers/tasks.ts';
import { createProviders } from './provider-parts.ts';

const openai = { 'providers.openai.apiKey': 'test-key' };
const openrouter = { 'providers.openrouter.apiKey': 'test-key' };

describe('the model of a request', () => {
  it.each([
    ['the first configured one', openai, {}, 'openai', 'gpt-5.5'],
    ['of a provider', openai, { provider: 'openai', model: 'gpt-4o' }, 'openai', 'gpt-4o'],
    [
      'by its whole name',
      { ...openai, ...openrouter },
      { model: 'openrouter/openai/gpt-4o' },
      'openrouter',
      'openai/gpt-4o',
    ],
    ['by its name alone', openai, { model: 'gpt-4o' }, 'openai', 'gpt-4o'],
    ['with the provider twice', openai, { provider: 'openai', model: 'openai/gpt-4o' }, 'openai', 'gpt-4o'],
    [
      'with a slash of its own',
      openrouter,
      { provider: 'openrouter', model: 'openrouter/auto' },
      'openrouter',
      'openrouter/auto',
    ],
    [
      'of the default router',
      openrouter,
      { model: 'meta-llama/llama-4' },
      'openrouter',
      'meta-llama/llama-4',
    ],
    ['the chosen one', { ...openai, 'chat.defaultModel': 'gpt-4o' }, {}, 'openai', 'gpt-4o'],
    [
      'the one of the provider',
      { ...openai, 'providers.openai.defaultModel': 'gpt-5' },
      {},
      'openai',
      'gpt-5',
    ],
    [
      'the one of the chosen provider',
      { ...openai, ...openrouter, 'chat.defaultProvider': 'openrouter' as const },
      {},
      'openrouter',
      'openrouter/auto',
    ],
    [
      'the chosen one by its whole name',
      { ...openai, 'chat.defaultModel': 'openai/gpt-4o' },
      {},
      'openai',
      'gpt-4o',
    ],
    ['only a provider', openai, { model: 'openai/' }, 'openai', 'gpt-5.5'],
  ])('resolves the model %s', async (_, flags, request, provider, modelId) => {
    await using parts = await createProviders({ flags });
    expect(
      await parts.providers.resolve(request as { provider?: ModelProviderType }, undefined),
    ).toMatchObject({
      provider,
      modelId,
      model: { modelId },
    });
  });

  it.each([
    [
      'there is no provider',
      {},
      {},
      'unavailable',
      'No model provider is configured. Configure one: svc providers configure openai',
    ],
    [
      'that one has no key',
      openrouter,
      { provider: 'openai' },
      'unavailable',
      /^openai is not configured: it needs a key/,
    ],
    [
      'it names an unknown provider',
      openai,
      { model: 'nobody/gpt' },
      'validation',
      /^There is no model provider "nobody"/,
    ],
    [
      'the provider is disabled',
      { ...openai, 'providers.openai.enabled': false },
      { provider: 'openai' },
      'unavailable',
      /is disabled/,
    ],
    [
      'Azure has no resource',
      { 'providers.azure.apiKey': 'k' },
      { provider: 'azure' },
      'unavailable',
      /needs a resource name/,
    ],
    [
      'Azure has no deployment',
      { 'providers.azure.apiKey': 'k', 'providers.azure.resourceName': 'r' },
      { provider: 'azure' },
      'unavailable',
      /no default model/,
    ],
    [
      'the key cannot be sent',
      { 'providers.openai.apiKey': 'a\nb' },
      { provider: 'openai' },
      'unavailable',
      /needs a key/,
    ],
    ['Ollama has no base URL', {}, { provider: 'ollama' }, 'unavailable', /it needs a base URL/],
  ])('fails to resolve a model where %s', async (_, flags, request, code, message) => {
    await using parts = await createProviders({ flags });
    await expect(
      parts.providers.resolve(request as { provider?: ModelProviderType }, undefined),
    ).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  it.each(providerTypes.filter((type) => type !== 'azure' && type !== 'ollama'))(
    'resolves a default model for every vendor with a key: %s',
    async (type) => {
      await using parts = await createProviders({ flags: { [`providers.${type}.apiKey`]: 'test-key' } });
      const { modelId } = await parts.providers.resolve({}, undefined);
      expect(modelId).toBe(modelProviders[type].defaultModel);
    },
  );
});

describe('a key from the environment', () => {
  it.each([
    ['openai', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['google', 'GEMINI_API_KEY'],
    ['mistral', 'MISTRAL_API_KEY'],
    ['groq', 'GROQ_API_KEY'],
    ['xai', 'XAI_API_KEY'],
    ['deepseek', 'DEEPSEEK_API_KEY'],
    ['cohere', 'COHERE_API_KEY'],
    ['perplexity', 'PERPLEXITY_API_KEY'],
    ['together', 'TOGETHER_API_KEY'],
    ['fireworks', 'FIREWORKS_API_KEY'],
    ['cerebras', 'CEREBRAS_API_KEY'],
    ['openrouter', 'OPENROUTER_API_KEY'],
  ])('an environment variable configures %s: %s', async (type, variable) => {
    await using parts = await createProviders({ env: { [variable]: 'key-of-the-environment' } });
    const { providers, default: fallback } = parts.providers.list();
    expect(fallback?.provider).toBe(type);
    expect(providers.filter(({ configured }) => configured)).toMatchObject([{ type, apiKey: '…ment' }]);
  });

  it('a key from the environment is not sent to an origin that is set later', async () => {
    await using parts = await createProviders({ env: { OPENAI_API_KEY: 'key-of-the-environment' } });
    const change = parts.providers.configure('openai', { baseUrl: 'https://evil.example/v1' }, {});
    await expect(change).rejects.toMatchObject({
      code: 'validation',
      message: 'OPENAI_API_KEY in the environment of the daemon sets providers.openai.apiKey',
    });
    await expect(
      parts.providers.setSetting('providers.openai.baseUrl', 'https://evil.example/v1', undefined),
    ).rejects.toThrow('OPENAI_API_KEY');
    expect(parts.config.get('providers.openai.baseUrl')).toBeUndefined();
  });
});

describe('the breaker of a provider', () => {
  const outage = { class: 'network', code: 'network', message: 'gone', retryAfterMs: undefined } as const;

  it('the breaker opens after five consecutive outages, for this provider only', async () => {
    await using parts = await createProviders({ flags: { ...openai, ...openrouter } });
    for (let call = 0; call < 5; call++) {
      await parts.providers.resolve({ provider: 'openai' }, undefined);
      parts.providers.failed('openai', outage);
    }
    await until(() =>
      expect(parts.providers.resolve({ provider: 'openai' }, undefined)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('several times in a row') as string,
        retryAfterMs: expect.any(Number) as number,
      }),
    );
    await parts.providers.resolve({ provider: 'openrouter' }, undefined);
  });

  it('the breaker stays closed after a success in between or an invalid request', async () => {
    await using parts = await createProviders({ flags: openai });
    for (let call = 0; call < 4; call++) parts.providers.failed('openai', outage);
    parts.providers.succeeded('openai');
    for (let call = 0; call < 4; call++) parts.providers.failed('openai', outage);
    for (let call = 0; call < 9; call++)
      parts.providers.failed('openai', { ...outage, class: 'invalid_input' });
    await expect(parts.providers.resolve({}, undefined)).resolves.toBeDefined();
  });
});

describe('Azure', () => {
  it.each([
    ['https://r.openai.azure.com', undefined, '/openai/v1/models', null],
    ['https://r.openai.azure.com/openai/v1/', undefined, '/openai/v1/models', null],
    ['https://r.openai.azure.com/openai', 'preview', '/openai/v1/models', 'preview'],
    ['https://r.openai.azure.com/', '2024-10-21', '/openai/models', '2024-10-21'],
  ])('calls Azure with its own header and version: %s %s', async (baseUrl, apiVersion, path, version) => {
    await using server = await startLoopbackServer((response) => response.end('{}'));
    const flags = { 'providers.azure.apiKey': 'test-key', 'providers.azure.baseUrl': baseUrl };
    await using parts = await createProviders({
      flags: {
        ...flags,
        ...(apiVersion !== undefined && { 'providers.azure.apiVersion': apiVersion }),
        'outbound.allowPrivate': ['127.0.0.0/8'],
      },
      redirect: (url) => `${server.url}${url.pathname}${url.search}`,
    });
    expect(await parts.providers.health('azure')).toMatchObject({ healthy: true });
    const [request] = server.requests;
    const asked = new URL(request?.path ?? '', server.url);
    expect([asked.pathname, asked.searchParams.get('api-version')]).toEqual([path, version]);
    expect(request?.headers).toMatchObject({ 'api-key': 'test-key' });
    expect(request?.headers).not.toHaveProperty('authorization');
  });
});

describe('the models of a provider', () => {
  it('lists models page by page', async () => {
    await using server = await startLoopbackServer((response, { path }) => {
      const after = new URL(path, 'http://x').searchParams.get('after_id');
      const page = Number(after ?? 0) + 1;
      response.end(
        JSON.stringify({
          data: [{ id: `m${page}`, display_name: `M ${page}` }],
          has_more: page < 3,
          last_id: `${page}`,
        }),
      );
    });
    await using parts = await createProviders({
      flags: { 'providers.anthropic.apiKey': 'test-key', 'providers.anthropic.baseUrl': `${server.url}/v1` },
    });
    const { models, source } = await parts.providers.modelsOf('anthropic');
    expect(models.map(({ id, name }) => [id, name])).toEqual([1, 2, 3].map((n) => [`m${n}`, `M ${n}`]));
    expect(source).toBe('live');
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': 'test-key' });
  });

  it('limits the pages of a vendor that never stops', async () => {
    await using server = await startLoopbackServer((response) =>
      response.end(JSON.stringify({ data: [{ id: 'same' }], has_more: true, last_id: 'same' })),
    );
    await using parts = await createProviders({
      flags: { 'providers.anthropic.apiKey': 'test-key', 'providers.anthropic.baseUrl': server.url },
    });
    expect((await parts.providers.modelsOf('anthropic')).models).toHaveLength(1);
    expect(server.requests).toHaveLength(10);
  });

  it('uses the built-in list where the vendor has none', async () => {
    await using parts = await createProviders({ flags: { 'providers.perplexity.apiKey': 'test-key' } });
    const { models, source } = await parts.providers.modelsOf('perplexity');
    expect(source).toBe('list');
    expect(models).toContainEqual({
      id: 'sonar',
      provider: 'perplexity',
      name: 'sonar',
      contextWindow: 128_000,
      supportsTools: false,
    });
  });

  it('lists the models of the providers that answer', async () => {
    await using server = await startLoopbackServer((response, { path }) =>
      path.startsWith('/bad')
        ? response.writeHead(500).end('no')
        : response.end('{"data":[{"id":"good-1"}]}'),
    );
    await using parts = await createProviders({
      flags: {
        'providers.openai.apiKey': 'k',
        'providers.openai.baseUrl': `${server.url}/bad`,
        'providers.groq.apiKey': 'k',
        'providers.groq.baseUrl': `${server.url}/good`,
      },
    });
    expect(await parts.providers.models({})).toEqual({
      models: [{ id: 'good-1', provider: 'groq', name: 'good-1' }],
    });
    await expect(parts.providers.models({ provider: 'openai' })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'OpenAI cannot answer now: it answered 500',
    });
  });
});
