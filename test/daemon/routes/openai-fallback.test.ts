import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ModelDaemon, startModelDaemon } from '../../helpers/model-daemon.ts';
import { type ModelServer, type Script, says, startModelServer } from '../../helpers/model-server.ts';
import { openDoor, type OpenAiDoor } from '../../helpers/openai-door.ts';

let running: ModelDaemon;
let second: ModelServer;
let door: OpenAiDoor;
const chain = ['ollama/test-model', 'second/other-model'];

beforeAll(async () => {
  second = await startModelServer(says('from the second'));
  running = await startModelDaemon();
  await running.daemon.client.providers.add({ body: { name: 'second', baseUrl: second.url } });
  await running.daemon.client.config.update({
    params: { key: 'routes' },
    body: { value: { fast: chain, gone: ['no-such/model', ...chain] } },
  });
  door = await openDoor(running.daemon);
});
beforeEach(async () => {
  second.asked.length = 0;
  await running.daemon.client.providers.configure({ params: { type: 'ollama' }, body: { enabled: true } });
});
afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
});

const failing =
  (status: number, error: object): Script =>
  (reply) =>
    reply.json(status, { error });
const fromFirst = { status: 200, body: { model: chain[0] } };
const fromSecond = {
  status: 200,
  body: { model: chain[1], choices: [{ message: { content: 'from the second' } }] },
};

it('names the model of a route that answered', async () => {
  running.model.script = says('from the first');
  expect(await door.chat('fast')).toMatchObject(fromFirst);
  expect(second.asked).toEqual([]);
});

it.each([
  ['a rate limit', failing(429, { message: 'Slow down' })],
  ['an overload', failing(529, { type: 'overloaded_error' })],
  ['a fault', failing(500, { message: 'Oops' })],
  ['a key that is refused', failing(401, { message: 'No key' })],
  ['no credit', failing(429, { code: 'insufficient_quota' })],
  ['a context that is too long', failing(400, { message: 'maximum context length is 10' })],
  ['a model that is gone', failing(404, { message: 'No such model' })],
  ['a broken connection', ((reply) => reply.cut()) satisfies Script],
])('tries the next model after %s', async (_, script) => {
  running.model.script = script;
  expect(await door.chat('fast')).toMatchObject(fromSecond);
  const [first = ''] = await door.stream('fast');
  expect(JSON.parse(first)).toMatchObject({ model: chain[1] });
});

it('passes over a provider that is not there', async () => {
  running.model.script = says('from the first');
  expect(await door.chat('gone')).toMatchObject(fromFirst);
});

it('does not try another model for a request that is wrong', async () => {
  running.model.script = failing(400, { message: 'Invalid schema' });
  expect(await door.chat('fast')).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_request' } },
  });
  expect(second.asked).toEqual([]);
});

it('does not ask a provider whose circuit breaker is open', async () => {
  running.model.script = failing(500, { message: 'Oops' });
  for (let time = 0; time < 5; time++) await door.chat('ollama/test-model');
  running.model.asked.length = 0;
  expect(await door.chat('fast')).toMatchObject(fromSecond);
  expect(running.model.asked).toEqual([]);
});

it('never changes the model once a part of the answer was sent', async () => {
  running.model.script = (reply) => {
    reply.piece('Hel');
    reply.event({ error: { message: 'Oops', type: 'server_error' } });
    reply.close();
  };
  const events = (await door.stream('fast')).map((data) => JSON.parse(data) as object);
  expect(events[1]).toMatchObject({ model: chain[0], choices: [{ delta: { content: 'Hel' } }] });
  expect(events.at(-1)).toMatchObject({ error: { code: 'provider_unavailable' } });
  expect(second.asked).toEqual([]);
});

it('says why no model of a route answered, in the form of the last one', async () => {
  running.model.script = failing(500, { message: 'Oops' });
  second.script = failing(429, { message: 'Slow down' });
  expect(await door.chat('fast')).toMatchObject({
    status: 429,
    body: {
      error: {
        code: 'rate_limit_exceeded',
        message: expect.stringMatching(/"fast".*ollama\/test-model: .*second\/other-model: /) as string,
      },
    },
  });
  second.script = says('from the second');
});

it('is limited to the models of a route that the token may use', async () => {
  running.model.script = says('from the first');
  const limited = await openDoor(running.daemon, { models: ['second/*'] });
  expect(await limited.chat('fast')).toMatchObject(fromSecond);
  const whole = await openDoor(running.daemon, { models: ['fast'] });
  expect(await whole.chat('fast')).toMatchObject(fromFirst);
  expect(await whole.chat('ollama/test-model')).toMatchObject({ status: 403 });
  const none = await openDoor(running.daemon, { models: ['third/*'] });
  expect(await none.chat('fast')).toMatchObject({ status: 403 });
});

it('lists routes and models that the token may use', async () => {
  const ids = async (of: OpenAiDoor) =>
    ((await of.get('/models')).body as { data: { id: string }[] }).data.map(({ id }) => id);
  expect(await ids(door)).toEqual(['fast', 'gone', 'ollama/test-model', 'second/test-model']);
  expect(await ids(await openDoor(running.daemon, { models: ['second/*'] }))).toEqual([
    'fast',
    'gone',
    'second/test-model',
  ]);
  expect(await door.get(`/models/${encodeURIComponent('second/test-model')}`)).toMatchObject({
    status: 200,
    body: { id: 'second/test-model', object: 'model', owned_by: 'second' },
  });
});
