import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { EmbeddingCalls } from '../../../src/core/providers/embedding-calls.ts';
import { startEmbeddingServer, type EmbeddingServer } from '../../helpers/embedding-server.ts';
import { createProviders } from './provider-parts.ts';

let server: EmbeddingServer;
beforeAll(async () => {
  server = await startEmbeddingServer((text) => [text.length, 1]);
});
beforeEach(() => {
  server.asked.length = 0;
  server.script = () => undefined;
});
afterAll(() => server[Symbol.asyncDispose]());

const open = async () => {
  const fixture = await createProviders({
    flags: {
      'providers.openai.apiKey': 'key',
      'providers.openai.baseUrl': `${server.url}/openai`,
      'providers.mistral.apiKey': 'key',
      'providers.mistral.baseUrl': `${server.url}/mistral`,
      'providers.servers': { own: { baseUrl: `${server.url}/own`, enabled: true } },
    },
  });
  return {
    fixture,
    calls: new EmbeddingCalls(fixture.providers),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
};
const { signal } = new AbortController();
const inputs = (count: number) => Array.from({ length: count }, (_, index) => 'x'.repeat(index + 1));

it.each(['openai', 'own'])('embeds in the order of the inputs, in several requests: %s', async (provider) => {
  await using opened = await open();
  const order = { provider, modelId: 'm', inputs: inputs(70) };
  const { vectors, tokens } = await opened.calls.embed(order, signal);
  expect(vectors.map(([length]) => length)).toEqual(order.inputs.map(({ length }) => length));
  expect(tokens).toBe(70);
  expect(server.asked.length).toBeGreaterThan(1);
});

it('asks for the length of the vectors where the provider can choose it', async () => {
  await using opened = await open();
  await opened.calls.embed({ provider: 'openai', modelId: 'm', inputs: ['a'], dimensions: 2 }, signal);
  await opened.calls.embed({ provider: 'own', modelId: 'm', inputs: ['a'], dimensions: 2 }, signal);
  expect(server.asked.map(({ body }) => body['dimensions'])).toEqual([2, 2]);
  await expect(
    opened.calls.embed({ provider: 'mistral', modelId: 'm', inputs: ['a'], dimensions: 2 }, signal),
  ).rejects.toMatchObject({ code: 'validation', details: [{ path: 'dimensions' }] });
});

it('has the failure of the provider, and stops with the signal', async () => {
  await using opened = await open();
  server.script = (reply) => reply.send(429, { error: { message: 'Slow down' } }, { 'retry-after': '3' });
  const order = { provider: 'openai', modelId: 'm', inputs: ['a'] };
  await expect(opened.calls.embed(order, signal)).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterMs: 3000,
  });
  await expect(opened.calls.embed({ ...order, provider: 'anthropic' }, signal)).rejects.toMatchObject({
    code: 'unavailable',
  });
  server.script = (reply) => reply.wait();
  const controller = new AbortController();
  const waiting = opened.calls.embed(order, controller.signal);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ message: 'The request was cancelled' });
});
