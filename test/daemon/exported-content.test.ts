import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ModelDaemon, startModelDaemon } from '../helpers/model-daemon.ts';
import type { Script } from '../helpers/model-server.ts';
import { attributesOf, type OtlpReceiver, startOtlpReceiver } from '../helpers/otlp-receiver.ts';
import { until } from '../helpers/tasks.ts';

let receiver: OtlpReceiver;
let world: ModelDaemon;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  world = await startModelDaemon({
    env: {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    },
  });
});
beforeEach(() => void receiver.requests.splice(0));
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const key = `sk-ant-${'a1B2'.repeat(12)}`;
/** Answers in pieces, of which the ends of one and the beginning of the next are a secret. */
const answer: Script = (reply, { body }) => {
  const pieces = ['planted-', `answer ${key.slice(0, 9)}`, key.slice(9), ' end'];
  if (!body.stream) return reply.whole(pieces.join(''));
  for (const piece of pieces) reply.piece(piece);
  reply.end();
};

async function post(path: string, body: object): Promise<string> {
  const response = await fetch(`${world.daemon.url}${path}`, {
    method: 'POST',
    headers: { ...world.daemon.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return response.text();
}
/** The attributes of the only call of a model. */
const callOfModel = () =>
  until(() => {
    const [span, ...others] = receiver.spans().filter(({ name }) => name.startsWith('chat '));
    if (!span || others.length > 0) throw new Error('There is not one call');
    return attributesOf(span);
  });

const messages = [{ role: 'user', content: 'planted-question' }];
it.each([
  ['/api/chat/completions', { messages, stream: true }],
  ['/api/chat/completions', { messages }],
  ['/v1/chat/completions', { messages, model: 'test-model', stream: true }],
  ['/v1/chat/completions', { messages, model: 'test-model' }],
])('the answer of %s %j is exported without its secrets', async (path, body) => {
  world.model.script = answer;
  expect(await post(path, body)).toContain('planted-');
  const call = await callOfModel();
  expect(call['gen_ai.input.messages']).toContain('planted-question');
  const output = String(call['gen_ai.output.messages']);
  const [said] = JSON.parse(output) as [{ type: string; text: string }];
  expect(said.type).toBe('text');
  expect(said.text).toMatch(/^planted-answer .* end$/);
  expect(output).not.toContain(key.slice(9));
});

it('a long streamed answer is exported as far as every text is', async () => {
  world.model.script = (reply) => {
    for (let at = 0; at < 100; at++) reply.piece('word '.repeat(200));
    reply.end();
  };
  await post('/api/chat/completions', { messages, stream: true });
  const output = String((await callOfModel())['gen_ai.output.messages']);
  expect(output).toMatch(/^\[\{"type":"text","text":"word word /);
  expect(output).toHaveLength(64 * 1024);
});
