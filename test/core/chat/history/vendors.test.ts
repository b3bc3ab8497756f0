import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, tool, type ToolSet } from 'ai';
import { expect, it } from 'vitest';
import { answerMessages } from '../../../../src/core/chat/history/answer-messages.ts';

const call = (name: string) => ({ name, arguments: { path: 'a' }, result: `r ${name}`, status: 'success' });
const history = [
  { role: 'user' as const, content: 'One' },
  ...answerMessages({
    seq: 2,
    content: 'Blue',
    tool_calls: JSON.stringify(['read', 'list', 'grep'].map(call)),
    steps: JSON.stringify([
      { text: 'Look', calls: 2 },
      { text: '', calls: 1 },
      { text: 'Bl', calls: 0 },
    ]),
    status: 'interrupted',
    error: null,
    finish_reason: null,
  }),
  { role: 'user' as const, content: 'Two' },
];
const tools: ToolSet = { read: tool({ description: 'Reads', inputSchema: jsonSchema({ type: 'object' }) }) };

type Fetch = typeof globalThis.fetch;
const vendors = {
  anthropic: (fetch: Fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5'),
  google: (fetch: Fetch) => createGoogleGenerativeAI({ apiKey: 'k', fetch })('gemini-2.5-pro'),
  mistral: (fetch: Fetch) => createMistral({ apiKey: 'k', fetch })('mistral-large-latest'),
  openai: (fetch: Fetch) => createOpenAI({ apiKey: 'k', fetch })('gpt-5'),
};

it.each(Object.entries(vendors))(
  'an earlier answer is sent to %s with its calls and results',
  async (_, make) => {
    let sent = '';
    const model = make(async (_url, init) => {
      sent = typeof init?.body === 'string' ? init.body : '';
      return new Response('{}', { status: 400 });
    });
    await expect(generateText({ model, tools, messages: history, maxRetries: 0 })).rejects.toThrow();
    const parts = [
      'One',
      'Look',
      '"r read',
      '"r list',
      '"r grep',
      'Bl\\n\\n[This answer was interrupted',
      'Two',
    ];
    const places = parts.map((part) => sent.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    // Each id once with its call and once with its result.
    for (const id of ['h00020000', 'h00020001', 'h00020002']) expect(sent.split(id)).toHaveLength(3);
  },
);
