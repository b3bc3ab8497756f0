import { describe, expect, it } from 'vitest';
import type { EmbeddingProvider } from '../../../../src/core/config/memory-settings.ts';
import { startEmbeddingServer, toBase64 } from '../../../helpers/embedding-server.ts';
import { createEmbedder, KEY } from './embedder-fixture.ts';

const never = new AbortController().signal;
const vectors = new Map([
  ['cats', [1, 0, 0]],
  ['dogs', [0, 1, 0]],
  ['pets?', [0.5, 0.25, 0]],
]);
const vectorOf = (text: string) => vectors.get(text) ?? [0, 0, 1];

/** Where each provider is asked, and for which model unless the settings name one. */
const usual: Partial<Record<EmbeddingProvider, { path: string; model: string }>> = {
  openai: { path: '/openai/embeddings', model: 'text-embedding-3-small' },
  google: { path: '/google/models/gemini-embedding-001:batchEmbedContents', model: 'gemini-embedding-001' },
  mistral: { path: '/mistral/embeddings', model: 'mistral-embed' },
  cohere: { path: '/cohere/embed', model: 'embed-v4.0' },
  fireworks: { path: '/fireworks/embeddings', model: 'nomic-ai/nomic-embed-text-v1.5' },
  ollama: { path: '/ollama/v1/embeddings', model: 'nomic-embed-text' },
  openrouter: { path: '/openrouter/embeddings', model: 'openai/text-embedding-3-small' },
};
const named = {
  azure: { path: '/azure/v1/embeddings', model: 'my-deployment' },
  together: { path: '/together/embeddings', model: 'vendor/model' },
};

describe('each provider', () => {
  it.each(Object.entries({ ...usual, ...named }))('%s embeds texts and queries', async (type, is) => {
    await using server = await startEmbeddingServer(vectorOf);
    const provider = type as EmbeddingProvider;
    const isNamed = provider in named;
    await using fixture = await createEmbedder(server.url, provider, {
      flags: isNamed ? { 'memory.embedding.model': is.model } : {},
    });
    const choice = fixture.embedder.choice();
    expect(choice).toEqual({ provider, modelId: is.model, name: `${provider}/${is.model}` });
    if (!choice) return;
    const made = await fixture.embedder.embedTexts(choice, ['cats', 'dogs'], never);
    expect(made).toEqual([Float32Array.of(1, 0, 0), Float32Array.of(0, 1, 0)]);
    expect(await fixture.embedder.embedQuery('pets?')).toEqual({
      vector: { model: `${provider}/${is.model}`, values: Float32Array.of(0.5, 0.25, 0) },
    });
    expect(server.asked.map(({ texts }) => texts)).toEqual([['cats', 'dogs'], ['pets?']]);
    const [first] = server.asked;
    expect(first?.path.replace(/\?.*/, '')).toBe(is.path);
    expect(JSON.stringify(first?.headers)).toContain(KEY);
    expect(JSON.stringify(first?.body)).toContain(is.model);
  });

  it('sends the purpose of a text to providers that distinguish it', async () => {
    await using server = await startEmbeddingServer(vectorOf);
    for (const provider of ['google', 'cohere'] as const) {
      await using fixture = await createEmbedder(server.url, provider);
      const choice = fixture.embedder.choice();
      if (choice) await fixture.embedder.embedTexts(choice, ['cats', 'dogs'], never);
      await fixture.embedder.embedQuery('pets?');
    }
    const bodies = server.asked.map(({ body }) => JSON.stringify(body));
    expect(bodies[0]?.match(/"taskType":"RETRIEVAL_DOCUMENT"/g)).toHaveLength(2);
    expect(bodies[1]).toContain('"taskType":"RETRIEVAL_QUERY"');
    expect(bodies[2]).toContain('"input_type":"search_document"');
    expect(bodies[3]).toContain('"input_type":"search_query"');
  });

  it('uses the deployment path of Azure for dated API versions', async () => {
    await using server = await startEmbeddingServer(vectorOf);
    await using fixture = await createEmbedder(server.url, 'azure', {
      flags: { 'memory.embedding.model': 'mine', 'providers.azure.apiVersion': '2024-10-21' },
    });
    expect(await fixture.embedder.embedQuery('cats')).toHaveProperty(
      'vector.values',
      Float32Array.of(1, 0, 0),
    );
    expect(server.asked[0]?.path).toBe('/azure/deployments/mine/embeddings?api-version=2024-10-21');
    expect(server.asked[0]?.headers).toMatchObject({ 'api-key': KEY });
    expect(server.asked[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('the choice', () => {
  it('chooses no model and sends nothing without a provider', async () => {
    await using server = await startEmbeddingServer();
    await using fixture = await createEmbedder(server.url, undefined, {
      flags: { 'memory.embedding.provider': undefined },
    });
    expect(fixture.embedder.choice()).toBeUndefined();
    expect(fixture.embedder.configurationError()).toBeUndefined();
    expect(await fixture.embedder.embedQuery('secret plans')).toBeUndefined();
    expect(server.asked).toEqual([]);
  });

  it('requires a model name for providers without a default', async () => {
    await using server = await startEmbeddingServer();
    await using fixture = await createEmbedder(server.url, 'azure');
    expect(fixture.embedder.choice()).toBeUndefined();
    const reason = expect.stringContaining('svc config set memory.embedding.model');
    expect(fixture.embedder.configurationError()).toEqual(reason);
    expect(await fixture.embedder.embedQuery('cats')).toEqual({ reason });
    expect(server.asked).toEqual([]);
  });

  it('removes the provider prefix from the model name', async () => {
    await using server = await startEmbeddingServer();
    await using fixture = await createEmbedder(server.url, 'openai', {
      flags: { 'memory.embedding.model': 'openai/text-embedding-3-large' },
    });
    expect(fixture.embedder.choice()).toMatchObject({
      modelId: 'text-embedding-3-large',
      name: 'openai/text-embedding-3-large',
    });
  });

  it('rejects providers without embedding models and names the others', async () => {
    await using server = await startEmbeddingServer();
    await using fixture = await createEmbedder(server.url, undefined, {
      flags: { 'memory.embedding.provider': undefined },
    });
    for (const provider of ['anthropic', 'groq', 'nobody', 7])
      await expect(fixture.config.set('memory.embedding.provider', provider)).rejects.toThrow(
        /models for embeddings: openai, google, mistral, cohere, azure, together, fireworks, ollama, openrouter/,
      );
  });
});

describe('answers', () => {
  it('reads vectors in base64 or in another order', async () => {
    await using server = await startEmbeddingServer();
    server.script = (reply) =>
      reply.send(200, {
        data: [
          { index: 1, embedding: toBase64([0.25, -1, 3]) },
          { index: 0, embedding: toBase64([1, 2, 0.5]) },
        ],
      });
    for (const provider of ['openai', 'mistral', 'ollama', 'openrouter'] as const) {
      await using fixture = await createEmbedder(server.url, provider);
      const choice = fixture.embedder.choice();
      if (provider === 'openrouter')
        server.script = (reply) =>
          reply.send(200, {
            object: 'list',
            model: 'm',
            data: [
              { object: 'embedding', index: 1, embedding: [0.25, -1, 3] },
              { object: 'embedding', index: 0, embedding: [1, 2, 0.5] },
            ],
          });
      expect(choice && (await fixture.embedder.embedTexts(choice, ['a', 'b'], never))).toEqual([
        Float32Array.of(1, 2, 0.5),
        Float32Array.of(0.25, -1, 3),
      ]);
    }
  });

  it.each([
    ['too few', { data: [{ embedding: [1, 2] }] }],
    ['too many', { data: [{ embedding: [1] }, { embedding: [1] }, { embedding: [1] }] }],
    ['different lengths', { data: [{ embedding: [1, 2] }, { embedding: [1, 2, 3] }] }],
    ['nothing', { data: [{ embedding: [] }, { embedding: [] }] }],
    ['zeros', { data: [{ embedding: [0, 0] }, { embedding: [1, 0] }] }],
    ['numbers too great', '{"data":[{"embedding":[1e300]},{"embedding":[1]}]}'],
    ['nulls', { data: [{ embedding: [null] }, { embedding: [1] }] }],
    ['no JSON', 'Service under construction'],
    ['a page', '<html>hello</html>'],
    ['another object', { ok: true }],
    ['broken base64', { data: [{ embedding: 'AAA' }, { embedding: 'AAA' }] }],
  ])('rejects answers of %s', async (_what, body) => {
    await using server = await startEmbeddingServer();
    server.script = (reply) => reply.send(200, body);
    await using fixture = await createEmbedder(server.url);
    const choice = fixture.embedder.choice();
    if (!choice) throw new Error('There is a choice');
    await expect(
      fixture.embedder.embedTexts(choice, ['first text', 'second text'], never),
    ).rejects.toMatchObject({
      name: 'AppError',
      code: 'unavailable',
      kind: 'bad_answer',
      message: expect.stringMatching(/^OpenAI sent /),
    });
  });
});

describe('a text', () => {
  it('truncates a text that is longer than the embedding model accepts', async () => {
    await using server = await startEmbeddingServer(() => [1]);
    await using fixture = await createEmbedder(server.url);
    const choice = fixture.embedder.choice();
    const texts = ['a'.repeat(100_000), '漢'.repeat(20_000), `a${'😀'.repeat(20_000)}`, 'short', 'a\ud800b'];
    if (choice) await fixture.embedder.embedTexts(choice, texts, never);
    const sent = server.asked[0]?.texts ?? [];
    expect(sent.map((text, at) => texts[at]?.startsWith(text))).toEqual([true, true, true, true, false]);
    expect(sent[0]?.length).toBeGreaterThan(30_000);
    expect(sent[0]?.length).toBeLessThanOrEqual(32_000);
    expect(sent[1]?.length).toBeGreaterThan(7000);
    expect(sent[1]?.length).toBeLessThanOrEqual(8000);
    expect(sent.every((text) => text.isWellFormed())).toBe(true);
    expect(sent[3]).toBe('short');
  });

  it('shortens a text until the model accepts it and truncates later ones upfront', async () => {
    await using server = await startEmbeddingServer(() => [1]);
    const tooLong = {
      error: { message: "This model's maximum context length is 512 tokens", type: 'invalid_request_error' },
    };
    server.script = (reply, { texts }) => {
      if (texts.some((text) => text.length > 2000)) reply.send(400, tooLong);
    };
    await using fixture = await createEmbedder(server.url);
    const choice = fixture.embedder.choice();
    if (!choice) throw new Error('There is a choice');
    await fixture.embedder.embedTexts(choice, ['x'.repeat(6000)], never);
    expect(server.asked.map(({ texts }) => texts[0]?.length)).toEqual([6000, 3000, 1500]);
    await fixture.embedder.embedTexts(choice, ['y'.repeat(6000), 'z'], never);
    expect(server.asked.at(-1)?.texts.map((text) => text.length)).toEqual([1500, 1]);
  });
});

describe('a query', () => {
  it('sends a repeated query only once', async () => {
    await using server = await startEmbeddingServer();
    await using fixture = await createEmbedder(server.url);
    const first = await fixture.embedder.embedQuery('cats');
    expect(await fixture.embedder.embedQuery('cats')).toEqual(first);
    expect(server.asked).toHaveLength(1);
    for (let at = 0; at < 99; at++) await fixture.embedder.embedQuery(`dogs ${at}`);
    await fixture.embedder.embedQuery('cats');
    expect(server.asked).toHaveLength(100);
    for (let at = 0; at < 100; at++) await fixture.embedder.embedQuery(`birds ${at}`);
    await fixture.embedder.embedQuery('cats');
    expect(server.asked).toHaveLength(201);
  });

  it('never sends a blank query', async () => {
    await using server = await startEmbeddingServer();
    await using fixture = await createEmbedder(server.url);
    expect(await fixture.embedder.embedQuery(' \n\t')).toHaveProperty('reason');
    expect(server.asked).toEqual([]);
  });

  const secretQuery = 'the password of the vault is tulip-42';
  it.each([
    [
      401,
      { error: { message: `Incorrect API key provided: ${KEY}` } },
      /OpenAI refuses the key.*svc providers/,
    ],
    [429, { error: { message: 'Rate limit reached' } }, /OpenAI accepts no more requests for now/],
    [
      500,
      { error: { message: `Cannot embed: ${secretQuery}` } },
      /OpenAI cannot answer now: it answered 500$/,
    ],
    [
      400,
      { error: { message: `Bad text "password of the vault is"` } },
      /OpenAI does not accept the request/,
    ],
    [404, { error: { message: 'The model `m` does not exist' } }, /The model `m` does not exist/],
    [200, secretQuery, /OpenAI sent something that cannot be read/],
  ])('returns a reason without secrets for status %i', async (status, body, reason) => {
    await using server = await startEmbeddingServer();
    server.script = (reply) => reply.send(status, body);
    await using fixture = await createEmbedder(server.url);
    const said = await fixture.embedder.embedQuery(secretQuery);
    expect(said).toEqual({ reason: expect.stringMatching(reason) });
    expect(JSON.stringify(said)).not.toMatch(/tulip|password|vault|very-secret|0123456789/);
  });

  it('returns a reason when the provider does not answer in time', async () => {
    const server = await startEmbeddingServer();
    await using hasty = await createEmbedder(server.url, 'ollama', { queryMs: 50 });
    server.script = (reply) => reply.wait();
    expect(await hasty.embedder.embedQuery('slow')).toEqual({
      reason: 'Searched by keywords only: Ollama did not answer in time',
    });
    await using fixture = await createEmbedder(server.url, 'ollama', { queryMs: 60_000 });
    server.script = (reply) => reply.cut();
    expect(await fixture.embedder.embedQuery('cut')).toEqual({
      reason: expect.stringMatching(/Ollama: [\d.:]+ cannot be reached/),
    });
    await server[Symbol.asyncDispose]();
    expect(await fixture.embedder.embedQuery('down')).toEqual({
      reason: expect.stringMatching(/Ollama: [\d.:]+ cannot be reached: it refuses the connection/),
    });
  });

  it('does not send a query to a provider that keeps failing', async () => {
    await using server = await startEmbeddingServer();
    await using fixture = await createEmbedder(server.url);
    server.script = (reply) => reply.send(503, { error: { message: 'down' } });
    for (let at = 0; at < 8; at++) await fixture.embedder.embedQuery('cats');
    expect(server.asked).toHaveLength(5);
    expect(await fixture.embedder.embedQuery('cats')).toEqual({
      reason: expect.stringMatching(/OpenAI failed several times in a row. It is tried again in \d+ s/),
    });
    // A chat is not held up by it.
    await expect(
      fixture.providers.resolve({ provider: 'openai', model: 'gpt-5' }, undefined),
    ).resolves.toBeDefined();
  });

  it('does not send a query to a provider without a key or that is disabled', async () => {
    await using server = await startEmbeddingServer();
    await using fixture = await createEmbedder(server.url, 'openai', {
      flags: { 'providers.openai.enabled': false, 'providers.google.apiKey': undefined },
    });
    expect(await fixture.embedder.embedQuery('cats')).toEqual({
      reason: expect.stringContaining('OpenAI is disabled'),
    });
    await using keyless = await createEmbedder(server.url, 'google', {
      flags: { 'providers.google.apiKey': undefined },
    });
    expect(await keyless.embedder.embedQuery('cats')).toEqual({
      reason: expect.stringContaining(
        'google is not configured: it needs a key. Configure it: svc providers configure google',
      ),
    });
    expect(server.asked).toEqual([]);
  });
});
