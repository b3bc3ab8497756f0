import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openaiErrorSchema } from '../../../src/contract/openai/error.ts';
import { send } from '../../helpers/http.ts';
import { type ModelDaemon, startModelDaemon } from '../../helpers/model-daemon.ts';
import { says } from '../../helpers/model-server.ts';
import { openDoor, type OpenAiDoor } from '../../helpers/openai-door.ts';

const model = 'ollama/test-model';
let running: ModelDaemon;
let door: OpenAiDoor;
beforeAll(async () => {
  running = await startModelDaemon();
  door = await openDoor(running.daemon);
});
afterAll(() => running[Symbol.asyncDispose]());

const failure = (status: number, error: object) => ({ status, body: { error } });

describe('a request that this server does not answer', () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  it.each([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['top_logprobs', { top_logprobs: 3 }],
    ['logit_bias', { logit_bias: { 50256: -100 } }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['function_call', { function_call: 'auto' }],
    ['audio', { audio: { voice: 'alloy' } }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['web_search_options', { web_search_options: {} }],
    ['temperature', { temperature: 3 }],
    ['messages', { messages: [] }],
    ['messages', { messages: [{ role: 'user', content: '' }] }],
    ['messages.0.tool_call_id', { messages: [{ role: 'tool', tool_call_id: 'x', content: '1' }] }],
    ['messages.0.content.0.image_url.url', withImage('http://example.com/a.png')],
    ['messages.0.content.0.image_url.url', withImage('file:///etc/passwd')],
    ['messages.0.content.0.image_url.url', withImage('data:text/html;base64,AAAA')],
    ['tools.0.type', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    ['response_format.type', { response_format: { type: 'grammar' } }],
  ])('names the field of a chat completion: %s', async (param, more) => {
    expect(await door.chat(model, more)).toMatchObject(
      failure(400, { type: 'invalid_request_error', param, code: 'invalid_value' }),
    );
  });

  it.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['store', { store: true }],
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['input.0', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['input.0.call_id', { input: [{ type: 'function_call_output', call_id: 'x', output: '1' }] }],
    ['tools.0.type', { tools: [{ type: 'web_search' }] }],
  ])('names the field of a response: %s', async (param, more) => {
    expect(await door.post('/responses', { model, input: 'Hi', ...more })).toMatchObject(
      failure(400, { param, code: 'invalid_value' }),
    );
  });

  it('ignores fields that change nothing, and null', async () => {
    const harmless = { n: 1, user: 'u', metadata: { a: 'b' }, service_tier: 'auto', store: true, stop: null };
    const more = {
      ...harmless,
      logprobs: false,
      tools: null,
      seed: null,
      prompt_cache_key: 'x',
      new_field: 1,
    };
    expect(await door.post('/chat/completions', { model, messages, ...more })).toMatchObject({ status: 200 });
  });

  it('says that there is no such model', async () => {
    const unknown = failure(404, { type: 'invalid_request_error', param: 'model', code: 'model_not_found' });
    expect(await door.chat('agent/nobody')).toMatchObject({ status: 403 });
    expect(await door.get('/models/nobody')).toMatchObject(unknown);
    expect(await door.post('/embeddings', { model: 'anthropic/x', input: 'a' })).toMatchObject({
      status: 503,
    });
  });
});

function withImage(url: string) {
  return { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] };
}

describe('an error below /v1', () => {
  const bearer = { authorization: 'Bearer svc_not-a-token' };
  it.each([
    [
      'an unknown path',
      404,
      () => send(running.daemon, 'GET', '/v1/nothing', undefined, running.daemon.headers),
    ],
    [
      'an unknown method',
      404,
      () => send(running.daemon, 'DELETE', '/v1/models', undefined, running.daemon.headers),
    ],
    ['a URL that is not valid', 400, () => send(running.daemon, 'GET', '/v1/models/%ZZ', undefined, bearer)],
    [
      'a secret in the URL',
      400,
      () => send(running.daemon, 'GET', '/v1/models?api_key=x', undefined, bearer),
    ],
    ['a token that is not valid', 401, () => send(running.daemon, 'GET', '/v1/models', undefined, bearer)],
    ['no JSON', 400, () => sendText('{', 'application/json')],
    ['another content type', 415, () => sendText('model=x', 'application/x-www-form-urlencoded')],
    ['a body that is no object', 400, () => door.post('/chat/completions', [])],
    [
      'another origin',
      403,
      () => send(running.daemon, 'GET', '/v1/models', undefined, { origin: 'https://evil.example' }),
    ],
  ])('has the form of OpenAI: %s', async (_, status, ask) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(openaiErrorSchema.safeParse(answer.body).success, JSON.stringify(answer.body)).toBe(true);
  });

  async function sendText(body: string, type: string) {
    const response = await fetch(`${running.daemon.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...running.daemon.headers, 'content-type': type },
      body,
    });
    const parsed: unknown = await response.json();
    return { status: response.status, body: parsed };
  }

  it('refuses a token without the scope, and one that may not use the model', async () => {
    const other = await openDoor(running.daemon, { scopes: ['tasks:read'] });
    expect(await other.chat(model)).toMatchObject(failure(403, { code: 'insufficient_permissions' }));
    const few = await openDoor(running.daemon, { models: ['openai/*', 'ollama/other'] });
    expect(await few.chat(model)).toMatchObject(
      failure(403, { code: 'insufficient_permissions', param: 'model' }),
    );
    const some = await openDoor(running.daemon, { models: ['ollama/*'] });
    expect(await some.chat(model)).toMatchObject({ status: 200 });
  });

  it('has the usual form at other paths', async () => {
    const answer = await send(running.daemon, 'GET', '/api/nothing', undefined, running.daemon.headers);
    expect(answer.body).toEqual({ error: expect.any(String) });
  });
});

describe('a provider that fails', () => {
  const answering = (status: number, error: object, headers: Record<string, string> = {}) => {
    running.model.script = (reply) => reply.json(status, { error }, headers);
  };
  it.each([
    [401, { message: 'Incorrect API key provided' }, 503, 'provider_key_refused', 'false'],
    [403, { message: 'No access' }, 503, 'provider_key_refused', 'false'],
    [429, { code: 'insufficient_quota' }, 503, 'provider_quota_exceeded', 'false'],
    [
      400,
      { message: 'This model has a maximum context length of 8192 tokens' },
      400,
      'context_length_exceeded',
      null,
    ],
    [404, { message: 'No such model' }, 404, 'model_not_found', null],
    [422, { message: 'Bad tool schema' }, 400, 'invalid_request', null],
    [500, { message: 'Oops' }, 503, 'provider_unavailable', null],
  ])('%i %j is %i %s', async (status, error, ours, code, retry) => {
    answering(status, error);
    const answer = await door.chat(model);
    expect(answer).toMatchObject(failure(ours, { code }));
    expect(answer.headers.get('x-should-retry')).toBe(retry);
  });

  it('says when to try again', async () => {
    answering(429, { message: 'Slow down' }, { 'retry-after': '7' });
    const answer = await door.chat(model);
    expect(answer).toMatchObject(failure(429, { type: 'requests', code: 'rate_limit_exceeded' }));
    expect(answer.headers.get('retry-after')).toBe('7');
  });

  it('ends a stream with the error', async () => {
    running.model.script = (reply) => {
      reply.piece('Hel');
      reply.event({ error: { message: 'Overloaded', type: 'overloaded_error' } });
      reply.close();
    };
    const events = (await door.stream(model)).map((data) => JSON.parse(data) as object);
    expect(events[1]).toMatchObject({ choices: [{ delta: { content: 'Hel' } }] });
    expect(events.at(-1)).toMatchObject({ error: { code: 'provider_overloaded', type: 'server_error' } });
    const failed = await door.post('/responses', { model, input: 'Hi', stream: true });
    expect(failed.body).toMatch(/\nevent: response\.failed\ndata: .*provider_overloaded/);
    running.model.script = says('Hello');
  });
});
