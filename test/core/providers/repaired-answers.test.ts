import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { withRepairedAnswers } from '../../../src/core/providers/repaired-answers.ts';

type Content = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>['content'];

const call = (toolCallId: string, providerExecuted?: boolean) => ({
  type: 'tool-call' as const,
  toolCallId,
  toolName: 'look',
  input: '{}',
  ...(providerExecuted !== undefined && { providerExecuted }),
});
const result = (toolCallId: string) => ({
  type: 'tool-result' as const,
  toolCallId,
  toolName: 'look',
  result: 'seen',
});
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }];
const tools = [{ type: 'function' as const, name: 'look', inputSchema: {} }];
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const finishReason = { unified: 'stop' as const, raw: 'stop' };

async function repaired(content: Content): Promise<Content> {
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({ content, finishReason, usage, warnings: [] }),
  });
  return (await withRepairedAnswers(model).doGenerate({ prompt })).content;
}
async function repairedStream(content: Content): Promise<unknown[]> {
  const model = new MockLanguageModelV4({
    doStream: async () => ({
      stream: ReadableStream.from(content.filter((part) => part.type === 'tool-call')),
    }),
  });
  const { stream } = await withRepairedAnswers(model).doStream({ prompt, tools });
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

describe('calls with one id', () => {
  it.each([
    [
      ['same', 'same', 'same'],
      ['same', 'sam2', 'sam3'],
    ],
    [
      ['', '', ''],
      ['', '2', '3'],
    ],
    [
      ['ab', 'ab', 'a2', 'ab'],
      ['ab', 'a2', 'a3', 'a4'],
    ],
    [
      Array.from({ length: 10 }, () => 'D681PevKs'),
      ['D681PevKs', ...[2, 3, 4, 5, 6, 7, 8, 9].map((count) => `D681PevK${count}`), 'D681Pev10'],
    ],
  ])('makes repeated call ids unique: %j', async (ids, own) => {
    const content = ids.map((id) => call(id));
    const idsOf = (parts: unknown[]) =>
      (parts as ReturnType<typeof call>[]).map(({ toolCallId }) => toolCallId);
    expect(idsOf(await repaired(content))).toEqual(own);
    expect(idsOf(await repairedStream(content))).toEqual(own);
  });

  it('keeps the ids of calls that the vendor runs', async () => {
    const content = [call('a', true), result('a'), call('a', true)];
    expect(await repaired(content)).toEqual(content);
  });
});

it('leaves out the results of calls that are not in the answer', async () => {
  const content = [result('earlier'), { type: 'text' as const, text: 'So' }, call('a', true), result('a')];
  expect(await repaired(content)).toEqual(content.slice(1));
});
