import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../../helpers/embedding-server.ts';
import { type OpenAiDoor, openDoor } from '../../helpers/openai-door.ts';

let server: EmbeddingServer;
let daemon: TestDaemon;
let door: OpenAiDoor;
beforeAll(async () => {
  server = await startEmbeddingServer((text) => [text.length, 1]);
  daemon = await startDaemon({
    flags: {
      'providers.openai.apiKey': 'key',
      'providers.openai.baseUrl': `${server.url}/openai`,
      'providers.mistral.apiKey': 'key',
      'providers.mistral.baseUrl': `${server.url}/mistral`,
      'providers.servers': { own: { baseUrl: `${server.url}/own`, enabled: true } },
    },
  });
  door = await openDoor(daemon);
});
beforeEach(() => {
  server.asked.length = 0;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

it.each(['openai', 'own'])('passes lists of tokens on as they are: %s', async (provider) => {
  const model = `${provider}/m`;
  const one = await door.post('/embeddings', { model, input: [9906, 1917, 0] });
  expect(one).toMatchObject({
    status: 200,
    body: { data: [{ index: 0, embedding: [3, 1] }], usage: { prompt_tokens: expect.any(Number) } },
  });
  const several = await door.post('/embeddings', { model, input: [[1], [2, 3], [4, 5, 6, 7]] });
  expect(several).toMatchObject({
    status: 200,
    body: { data: [{ embedding: [1, 1] }, { embedding: [2, 1] }, { embedding: [4, 1] }] },
  });
  expect(server.asked.map(({ body }) => body['input'])).toEqual([
    [[9906, 1917, 0]],
    [[1], [2, 3], [4, 5, 6, 7]],
  ]);
});

it('says who takes no lists of tokens, and asks them nothing', async () => {
  expect(await door.post('/embeddings', { model: 'mistral/m', input: [1, 2] })).toMatchObject({
    status: 400,
    body: { error: { param: 'input', message: 'Mistral takes no lists of tokens; send the texts' } },
  });
  expect(server.asked).toEqual([]);
});

it.each([[[]], [[[]]], [[1.5]], [[-1]], [['a', 1]], [[[1], 'a']], [[1, [2]]], ['']])(
  'refuses the input %j',
  async (input) => {
    expect(await door.post('/embeddings', { model: 'openai/m', input })).toMatchObject({
      status: 400,
      body: { error: { param: expect.stringMatching(/^input/) } },
    });
  },
);

it('counts the tokens of a list for the caps of the token', async () => {
  const capped = await openDoor(daemon, { tokensPerMinute: 1000 });
  server.script = (reply, { texts }) =>
    reply.send(200, { data: texts.map((_, index) => ({ index, embedding: [1] })) });
  const input = Array.from({ length: 1000 }, (_, index) => index);
  const request = { model: 'openai/m', input };
  expect(await capped.post('/embeddings', request)).toMatchObject({
    status: 200,
    body: { usage: { prompt_tokens: 1000 } },
  });
  expect(await capped.post('/embeddings', request)).toMatchObject({ status: 429 });
});
