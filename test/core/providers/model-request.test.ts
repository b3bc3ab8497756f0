import { generateText, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { toModelRequest } from '../../../src/core/providers/model-request.ts';
import type { Prompt } from '../../../src/core/providers/prompt.ts';
import { modelProviders, providerTypes } from '../../../src/core/providers/provider-list.ts';
import { patient } from '../chat/chat-parts.ts';

const turns: Prompt['turns'] = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Yes?' },
  { role: 'user', content: 'Why?' },
];
const prompt = { instructions: 'Be short.', turns };

describe('a model request', () => {
  it('a model request contains only the given options', () => {
    const [first] = turns;
    expect(toModelRequest({ instructions: '', turns: first ? [first] : [] }, {})).toStrictEqual({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    });
  });

  it.each(providerTypes)('a model request equals the one of the SDK: %s', async (type) => {
    const provider = modelProviders[type];
    const baseUrl = provider.baseUrl ?? 'https://example.openai.azure.com/openai/v1';
    const sent: object[] = [];
    const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
      const { 'user-agent': _, ...headers } = Object.fromEntries(new Headers(init.headers));
      sent.push({ url, headers, body: await new Response(init.body ?? null).json() });
      return new Response('{}', { status: 500 });
    };
    const connection = { apiKey: 'test-key', baseUrl, isVendorUrl: true, apiVersion: undefined, fetch };
    const model = (await provider.create(connection))('some-model');
    const settings = { model, instructions: prompt.instructions, messages: turns, maxRetries: 0 };
    const temperature = 0.5;
    for (const [asOurs, asSdk] of [
      [{}, settings],
      [
        { temperature, maxTokens: 100 },
        { ...settings, temperature, maxOutputTokens: 100 },
      ],
    ] as const) {
      const request = { ...toModelRequest(prompt, asOurs), abortSignal: patient() };
      await expect(generateText(asSdk)).rejects.toThrow();
      await expect(model.doGenerate(request)).rejects.toThrow();
      await streamText({ ...asSdk, onError: () => undefined }).consumeStream();
      await expect(model.doStream(request)).rejects.toThrow();
      const [whole, ourWhole, streamed, ourStreamed] = sent.splice(0);
      expect(ourWhole).toEqual(whole);
      expect(ourStreamed).toEqual(streamed);
      expect(streamed).toMatchObject({ headers: { 'content-type': 'application/json' } });
    }
  });
});
