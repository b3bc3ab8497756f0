import { expect, it } from 'vitest';
import { chatCompletionChunkSchema } from '../../../src/contract/openai/chat-completions.ts';
import { AppError } from '../../../src/core/errors.ts';
import { ChatFrames } from '../../../src/core/openai-api/chat-frames.ts';
import type { AnswerPart } from '../../../src/core/providers/resolved-model.ts';

const text = (delta: string): AnswerPart => ({ type: 'text-delta', id: '0', delta });
const thought = (delta: string): AnswerPart => ({ type: 'reasoning-delta', id: '0', delta });
const end = {
  finishReason: 'stop' as const,
  usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 },
  cached: { read: 1 },
  reasoningTokens: 1,
  costUsd: undefined,
};
const open = (more: object = {}) =>
  new ChatFrames(
    { id: 'chatcmpl_1', created: 7, model: 'openai/x' },
    { model: 'x', messages: [{ role: 'user', content: 'Hi' }], ...more },
  );
/** The data of each event; every chunk is one of the contract. */
function read(frames: string): object[] {
  const data = frames.split('\n\n').filter(Boolean);
  return data.map((line) => {
    if (line === 'data: [DONE]') return { done: true };
    const chunk: unknown = JSON.parse(line.replace(/^data: /, ''));
    return chatCompletionChunkSchema.parse(chunk);
  });
}
const deltas = (frames: string) =>
  read(frames).map((chunk) => (chunk as { choices: { delta: object }[] }).choices[0]?.delta);

it('begins with the role, and joins the pieces that came together', () => {
  const frames = open();
  expect(deltas(frames.frames([text('Hel'), text('lo "you"\n')]))).toEqual([
    { role: 'assistant', content: '', refusal: null },
    { content: 'Hello "you"\n' },
  ]);
  expect(deltas(frames.frames([text('!')]))).toEqual([{ content: '!' }]);
  expect(frames.frames([{ type: 'text-start', id: '0' }])).toBe('');
});

it('keeps the order of thoughts, text and calls', () => {
  const call: AnswerPart = { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: '{}' };
  const parts = [thought('Hm'), text('A'), thought('Oh'), text('B'), call];
  expect(deltas(open().frames(parts)).slice(1)).toEqual([
    { reasoning_content: 'Hm' },
    { content: 'A' },
    { reasoning_content: 'Oh' },
    { content: 'B' },
    { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
  ]);
});

it('ends with the reason, and the usage where it was asked for', () => {
  expect(read(open().end(end)).slice(1)).toMatchObject([
    { choices: [{ delta: {}, finish_reason: 'stop' }] },
    { done: true },
  ]);
  const asked = open({ stream_options: { include_usage: true } });
  expect(read(asked.frames([text('A')])).at(-1)).toMatchObject({ usage: null });
  expect(read(asked.end(end))).toMatchObject([
    { choices: [{ finish_reason: 'stop' }], usage: null },
    {
      choices: [],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        prompt_tokens_details: { cached_tokens: 1 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
    },
    { done: true },
  ]);
});

it('says of calls that they are the reason, whatever the vendor says', () => {
  const frames = open();
  frames.frames([{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: '{}' }]);
  expect(read(frames.end(end))[0]).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
});

it('fails in the form of OpenAI', () => {
  const frame = open().fail(new AppError('unavailable', 'Away'));
  expect(JSON.parse(frame.replace(/^data: /, ''))).toEqual({
    error: { message: 'Away', type: 'server_error', param: null, code: 'unavailable' },
  });
});
