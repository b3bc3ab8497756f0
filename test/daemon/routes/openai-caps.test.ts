import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ModelDaemon, startModelDaemon } from '../../helpers/model-daemon.ts';
import { says } from '../../helpers/model-server.ts';
import { openDoor } from '../../helpers/openai-door.ts';
import { until } from '../../helpers/tasks.ts';

const model = 'ollama/test-model';
const long = 'word '.repeat(200);
let running: ModelDaemon;
beforeAll(async () => {
  running = await startModelDaemon();
  await running.daemon.client.config.update({
    params: { key: 'models.prices' },
    body: { value: { [model]: { input: 100, output: 1000 } } },
  });
});
afterAll(() => running[Symbol.asyncDispose]());

/** Speaks until the test ends it. */
const speaksOn: Parameters<typeof startModelDaemon>[1] = async (reply) => {
  const before = running.model.aborted;
  while (running.model.aborted === before) {
    reply.piece(long);
    await new Promise((resolve) => setImmediate(resolve));
  }
};

it('limits the requests of a token per minute', async () => {
  running.model.script = says('Hello');
  const door = await openDoor(running.daemon, { requestsPerMinute: 2 });
  expect((await door.chat(model)).status).toBe(200);
  expect((await door.post('/responses', { model, input: 'Hi' })).status).toBe(200);
  const refused = await door.chat(model);
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await (await openDoor(running.daemon, { requestsPerMinute: 2 })).chat(model)).status).toBe(200);
});

it('ends a stream that passes the tokens of a minute, and the call of the provider', async () => {
  running.model.script = speaksOn;
  const { aborted } = running.model;
  const door = await openDoor(running.daemon, { tokensPerMinute: 1000 });
  const events = await door.stream(model);
  expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
  await until(() => expect(running.model.aborted).toBe(aborted + 1));
  running.model.script = says('Hello');
  await until(async () =>
    expect(await door.chat(model)).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limit_exceeded' } },
    }),
  );
});

it('ends a stream that passes the budget of the day, and refuses what follows', async () => {
  running.model.script = speaksOn;
  const door = await openDoor(running.daemon, { costPerDay: 0.5 });
  const failed = { error: { type: 'insufficient_quota', code: 'insufficient_quota' } };
  expect(JSON.parse((await door.stream(model)).at(-1) ?? '')).toMatchObject(failed);
  running.model.script = says('Hello');
  const refused = await door.chat(model);
  expect(refused).toMatchObject({ status: 429, body: failed });
  expect(refused.headers.get('x-should-retry')).toBe('false');
});

it.each(['costPerDay', 'costPerMonth'])('counts what the provider reports: %s', async (budget) => {
  running.model.script = says('Hello');
  // 11 tokens of the prompt and 7 of the answer, as the server says.
  const door = await openDoor(running.daemon, { [budget]: 0.0081 });
  expect((await door.chat(model)).status).toBe(200);
  expect(await door.chat(model)).toMatchObject({
    status: 429,
    body: { error: { code: 'insufficient_quota' } },
  });
});

it('has every call in the ledger of usage, also one that broke off', async () => {
  const { client } = running.daemon;
  const { id, token } = await client.tokens.create({ body: { name: 'ledger', scopes: ['models:use'] } });
  const ask = (body: object, signal?: AbortSignal) =>
    fetch(`${running.daemon.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], ...body }),
      ...(signal && { signal }),
    });
  const used = () => client.usage.list({ query: { by: 'model', tokenId: id } });
  running.model.script = says('Hello');
  await (await ask({})).text();
  await until(async () =>
    expect((await used()).usage).toMatchObject([
      { key: model, calls: 1, inputTokens: 11, outputTokens: 7, costUsd: 0.0081 },
    ]),
  );
  running.model.script = speaksOn;
  const controller = new AbortController();
  const { body } = await ask({ stream: true }, controller.signal);
  await body?.getReader().read();
  controller.abort();
  await until(async () => expect((await used()).sum.calls).toBe(2));
  expect((await used()).sum.outputTokens).toBeGreaterThan(100);
});
