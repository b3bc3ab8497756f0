import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openaiErrorSchema } from '../../../src/contract/openai/error.ts';
import type { Scope } from '../../../src/contract/scopes.ts';
import { sized } from '../../helpers/long.ts';
import { type ModelDaemon, startModelDaemon } from '../../helpers/model-daemon.ts';
import { testAdapter } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

let running: ModelDaemon;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  const idle = testAdapter(async ({ task }) => ({ output: task.prompt ?? '' }), { type: 'echo' });
  running = await startModelDaemon({ extraAdapters: [idle] });
  const create = async (name: string, ...scopes: [Scope, ...Scope[]]) => {
    tokens[name] = (await running.daemon.client.tokens.create({ body: { name, scopes } })).token;
  };
  await create('models', 'models:use');
  await create('tasks', 'tasks:read', 'tasks:write', 'gateway:write', 'webhooks:write', 'memory:read');
  await create('agents', 'models:use', 'tasks:write');
});
afterAll(() => running[Symbol.asyncDispose]());

const paths = ['/chat/completions', '/responses', '/embeddings'] as const;

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${running.daemon.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens['models']}`, 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, body: await response.text() };
}

/** Refused in the form of OpenAI, or answered; never a fault. A fault of the scripted provider is none of ours. */
function expectNoFault({ status, body }: { status: number; body: string }) {
  if (status === 200) return;
  const error = openaiErrorSchema.safeParse(JSON.parse(body));
  expect(error.success, body).toBe(true);
  if (status < 500) return;
  // A model that names a provider without a key is away, not broken.
  expect(status, body).toBe(503);
  expect(error.data?.error.code, body).toMatch(/^(unavailable|provider_|agent_failed)/);
}

const text = fc.string({ unit: 'binary', maxLength: 30 });
const json = fc.jsonValue({ stringUnit: 'binary' });
/** Mostly what is right, sometimes anything. */
const field = <T>(likely: fc.Arbitrary<T>) =>
  fc.oneof<fc.MaybeWeightedArbitrary<unknown>[]>({ weight: 20, arbitrary: likely }, json);
const model = field(
  fc.constantFrom(
    'ollama/test-model',
    'test-model',
    'openai/x',
    '/',
    'agent/',
    'agent/echo',
    '../x',
    '__proto__/x',
    'constructor',
    'a'.repeat(300),
  ),
);
const url = fc.constantFrom(
  'https://example.com/a.png',
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
  'data:image/png;base64,AAAA',
  'data:image/png;base64,%%%',
  'https://[::1',
  'javascript:alert(1)',
  '',
);
const parts = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('text'), text: field(text) }),
    fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: field(url) }) }),
    fc.record({ type: fc.constant('file'), file: fc.record({ file_data: field(url) }) }),
    fc.record({
      type: fc.constant('input_audio'),
      input_audio: fc.record({ data: field(text), format: field(fc.constant('wav')) }),
    }),
  ),
  { maxLength: 3 },
);
const call = fc.record({
  id: field(text),
  type: fc.constant('function'),
  function: fc.record({ name: field(fc.constantFrom('f', '__proto__', 'toString')), arguments: field(text) }),
});
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content: field(fc.oneof(text, parts)) }),
  fc.record({
    role: fc.constant('assistant'),
    content: field(text),
    tool_calls: field(fc.array(call, { maxLength: 2 })),
  }),
  fc.record({ role: fc.constant('tool'), content: field(text), tool_call_id: field(text) }),
  json,
);
const tools = fc.array(
  fc.record({
    type: field(fc.constant('function')),
    name: field(fc.constant('f')),
    function: fc.record({
      name: field(text),
      parameters: field(fc.dictionary(text, json)),
      strict: field(fc.boolean()),
    }),
  }),
  { maxLength: 2 },
);
const settings = {
  stream: field(fc.boolean()),
  temperature: field(fc.double({ min: 0, max: 2, noNaN: true })),
  tools: field(tools),
  tool_choice: field(fc.constantFrom('auto', 'none', 'required')),
  stop: field(fc.array(text, { maxLength: 2 })),
  seed: field(fc.integer()),
  n: field(fc.constant(1)),
  stream_options: field(fc.record({ include_usage: fc.boolean() })),
  response_format: field(
    fc.record({ type: fc.constantFrom('text', 'json_object', 'json_schema'), json_schema: json }),
  ),
};
const options = { requiredKeys: ['model', 'messages'] as ('model' | 'messages')[] };
const chat = fc.record(
  { model, messages: field(fc.array(message, { minLength: 1, maxLength: 4 })), ...settings },
  options,
);
const item = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: field(text) }),
  fc.record({
    type: fc.constant('function_call'),
    call_id: field(text),
    name: field(text),
    arguments: field(text),
  }),
  fc.record({ type: fc.constant('function_call_output'), call_id: field(text), output: field(text) }),
  fc.record({ type: fc.constantFrom('reasoning', 'item_reference', 'web_search_call'), id: text }),
);
const response = fc.record(
  {
    model,
    input: field(fc.oneof(text, fc.array(item, { maxLength: 4 }))),
    instructions: field(text),
    stream: field(fc.boolean()),
    tools: field(tools),
    text: field(fc.record({ format: json })),
    store: field(fc.constant(false)),
    reasoning: field(fc.record({ effort: fc.constantFrom('low', 'high') })),
  },
  { requiredKeys: ['model', 'input'] },
);
const embedding = fc.record(
  {
    model,
    input: field(fc.oneof(text, fc.array(fc.oneof(text, fc.integer()), { maxLength: 4 }))),
    encoding_format: field(fc.constantFrom('float', 'base64')),
    dimensions: field(fc.integer({ min: 1, max: 8 })),
  },
  { requiredKeys: ['model', 'input'] },
);

describe('any request below /v1', () => {
  it.each(paths)('is answered or refused in the form of OpenAI, whatever its body: %s', async (path) => {
    const body = fc.oneof(fc.json({ stringUnit: 'binary' }), fc.string({ unit: 'binary' }));
    await fc.assert(
      fc.asyncProperty(body, async (each) => expectNoFault(await post(path, each))),
      { numRuns: sized(40, 300) },
    );
  });

  it.each([
    ['/chat/completions', chat],
    ['/responses', response],
    ['/embeddings', embedding],
  ] as [string, fc.Arbitrary<object>][])('the same with nearly right fields: %s', async (path, body) => {
    await fc.assert(
      fc.asyncProperty(body, async (each) => expectNoFault(await post(path, JSON.stringify(each)))),
      { numRuns: sized(120, 1000) },
    );
  });

  it('the same with any header', async () => {
    const header = fc.string({ maxLength: 40 }).map((value) => value.replaceAll(/[^\x21-\x7e]/g, 'x'));
    const headers = fc.record(
      {
        authorization: header,
        accept: header,
        'openai-organization': header,
        'openai-beta': header,
        'idempotency-key': header,
        'content-encoding': header,
      },
      { requiredKeys: [] },
    );
    const body = JSON.stringify({ model: 'ollama/test-model', messages: [{ role: 'user', content: 'Hi' }] });
    await fc.assert(
      fc.asyncProperty(headers, async (each) => expectNoFault(await post('/chat/completions', body, each))),
      { numRuns: sized(40, 300) },
    );
  });

  it('lets no body past the scopes, and makes no task without the right to', async () => {
    const { client } = running.daemon;
    const before = (await client.tasks.list()).total;
    const asked = running.model.asked.length;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.oneof(chat, response, embedding), async (path, body) => {
        const headers = { authorization: `Bearer ${tokens['tasks']}` };
        expect((await post(path, JSON.stringify(body), headers)).status).toBe(403);
      }),
      { numRuns: sized(40, 300) },
    );
    expect(running.model.asked).toHaveLength(asked);
    const agent = JSON.stringify({ model: 'agent/echo', messages: [{ role: 'user', content: 'Hi' }] });
    expect((await post('/chat/completions', agent)).status).toBe(403);
    expect((await client.tasks.list()).total).toBe(before);
  });

  it('makes tasks that only their owner sees', async () => {
    const authorization = `Bearer ${tokens['agents']}`;
    const agent = JSON.stringify({ model: 'agent/echo', messages: [{ role: 'user', content: 'Hi' }] });
    expect((await post('/chat/completions', agent, { authorization })).status).toBe(200);
    const stranger = await addUser(running.daemon, 'stranger');
    expect((await stranger.client.tasks.list()).total).toBe(0);
  });
});
