import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ModelProviderType } from '../../../src/contract/providers.ts';
import { aiSdkCompatible, aiSdkOpenAi } from '../../helpers/openai-clients/ai-sdk.ts';
import type { Door, OpenAiClient } from '../../helpers/openai-clients/client.ts';
import { curl } from '../../helpers/openai-clients/curl.ts';
import { langchain } from '../../helpers/openai-clients/langchain.ts';
import { openaiPackage } from '../../helpers/openai-clients/openai-package.ts';
import { type ReplayedDaemon, type ReplayStep, startReplayedDaemon } from '../../helpers/replayed-daemon.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';

const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR4nGNgYAAAAAMAAWgmWQ0AAAAASUVORK5CYII=';
const joke =
  "Why did the programmer break up with opentelemetry? Because it couldn't seem to trace a good connection!";
const greeting =
  "Hello! I'm doing well, thank you for asking. How are you doing today? Is there anything I can help you with?";
const loops = {
  json: 'openai/seq-chat-json.olm-agent-with-tools',
  stream: 'openai/seq-chat-stream.olm-agent-run-streaming-with-tools',
};

let daemon: ReplayedDaemon;
let door: Door;
beforeAll(async () => {
  if (!hasSharedFixtures) return;
  daemon = await startReplayedDaemon({ isChat: true });
  const { token } = await daemon.client.tokens.create({ body: { name: 'door', scopes: ['models:use'] } });
  door = { baseURL: `${daemon.url}/v1`, apiKey: token };
});
afterAll(() => daemon?.[Symbol.asyncDispose]());

/** The name of a model of a provider that answers with these recordings. */
const play = async (provider: ModelProviderType, ...steps: (string | ReplayStep)[]) =>
  `${provider}/${await daemon.play(...steps)}`;
/** What the provider was asked by a request for the model. */
const askedOf = (model: string) => daemon.replay.asked(model.slice(model.lastIndexOf('-') + 1));

const clients: OpenAiClient[] = [openaiPackage, aiSdkCompatible, aiSdkOpenAi, langchain, curl];
const withResponses = clients.filter((client) => 'respond' in client);

describe.skipIf(!hasSharedFixtures).each(clients)('$name', (client) => {
  it('reads a chat completion', async () => {
    const model = await play('openai', 'openai/chat-json-text.olm-resource-attributes-0');
    expect(await client.chat(door, model)).toEqual({ text: joke, usage: { input: 15, output: 22 } });
  });

  it('reads a stream of another vendor, with its usage', async () => {
    const model = await play('anthropic', 'anthropic/messages-stream-text.vai-anthropic-text');
    expect(await client.stream(door, model)).toEqual({ text: greeting, usage: { input: 12, output: 30 } });
  });

  it('calls a tool and sends its result', async () => {
    const model = await play('openai', `${loops.json}.step1`, `${loops.json}.step2`);
    expect(await client.tools(door, model, 'add_numbers', false)).toEqual({
      calls: [{ a: 5, b: 7 }],
      text: 'The sum of 5 and 7 is 12.',
    });
    const [, second] = askedOf(model);
    expect(JSON.stringify(second?.body)).toMatch(/"tool_call_id":"call_K1e5DeMhf00qONjSQD0B4h9C"/);
  });

  it('calls a tool in a stream', async () => {
    const model = await play('openai', `${loops.stream}.step1`, `${loops.stream}.step2`);
    expect(await client.tools(door, model, 'multiply', true)).toEqual({
      calls: [{ a: 6, b: 7 }],
      text: '6 times 7 is 42.',
    });
  });

  it('gets an object of a JSON schema', async () => {
    const recording = 'anthropic/messages-json-text.oinf-anthropic-instrumentation-beta-messages-parse-0';
    const model = await play('anthropic', recording);
    expect(await client.structured(door, model)).toEqual({ city: 'Paris', country: 'France' });
    expect(JSON.stringify(askedOf(model)[0]?.body)).toContain('"country":{"type":"string"}');
  });

  it('shows an image', async () => {
    const recording = 'groq/seq-chat-json.pyd-multimodal-tool-return-matrix-direct-url-image-groq.step2';
    const model = await play('groq', recording);
    expect(await client.vision(door, model, image)).toMatch(/^The image is a close-up of a single rose/);
    expect(JSON.stringify(askedOf(model)[0]?.body)).toContain(image);
  });

  it('gets an embedding', async () => {
    const model = await play('openai', 'openai/embeddings-json-other.vai-openai-embedding');
    const vector = await client.embed(door, model, 'sunny day at the beach');
    expect(vector.length).toBeGreaterThan(3);
    expect(vector.every((value) => Math.abs(value) > 0 && Math.abs(value) < 1)).toBe(true);
  });

  it('reads the error of an overloaded provider', async () => {
    const model = await play('anthropic', 'anthropic/messages-json-error.doc-529');
    expect(await client.error(door, model)).toEqual({ status: 503, code: 'provider_overloaded' });
    await daemon.closeBreaker('anthropic');
  });

  it('reads the error of a token that is not valid', async () => {
    const unknown = { ...door, apiKey: 'svc_no_such_token' };
    expect(await client.error(unknown, 'openai/any')).toEqual({ status: 401, code: 'invalid_api_key' });
  });

  it('ends the call of the provider when it leaves a stream', async () => {
    const model = await play('anthropic', {
      case: 'anthropic/messages-stream-text.vai-anthropic-text',
      stall: 0.6,
    });
    await client.abort(door, model);
    await vi.waitFor(() => expect(askedOf(model)[0]?.clientClosed).toBe(true), 20_000);
  });
});

describe.skipIf(!hasSharedFixtures).each(withResponses)('$name, by the Responses API', (client) => {
  it('reads a response', async () => {
    const model = await play('openai', 'openai/chat-json-text.olm-resource-attributes-0');
    expect(await client.respond?.(door, model)).toEqual({ text: joke, usage: { input: 15, output: 22 } });
  });

  it('reads a streamed response', async () => {
    const model = await play('anthropic', 'anthropic/messages-stream-text.vai-anthropic-text');
    expect(await client.respondStream?.(door, model)).toEqual({
      text: greeting,
      usage: { input: 12, output: 30 },
    });
  });

  it('calls a function and sends its output', async () => {
    const model = await play('openai', `${loops.json}.step1`, `${loops.json}.step2`);
    expect(await client.respondTools?.(door, model, 'add_numbers', false)).toEqual({
      calls: [{ a: 5, b: 7 }],
      text: 'The sum of 5 and 7 is 12.',
    });
  });

  it('calls a function in a stream', async () => {
    const model = await play('openai', `${loops.stream}.step1`, `${loops.stream}.step2`);
    expect(await client.respondTools?.(door, model, 'multiply', true)).toEqual({
      calls: [{ a: 6, b: 7 }],
      text: '6 times 7 is 42.',
    });
  });
});
