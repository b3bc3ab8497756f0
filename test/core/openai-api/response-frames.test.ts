import { expect, it } from 'vitest';
import { openaiResponseSchema } from '../../../src/contract/openai/responses.ts';
import { AppError } from '../../../src/core/errors.ts';
import { ResponseFrames } from '../../../src/core/openai-api/response-frames.ts';
import type { AnswerPart } from '../../../src/core/providers/resolved-model.ts';

const text = (delta: string): AnswerPart => ({ type: 'text-delta', id: '0', delta });
const call: AnswerPart = { type: 'tool-call', toolCallId: 'call_1', toolName: 'f', input: '{"a":1}' };
const end = {
  finishReason: 'stop' as const,
  usage: {},
  cached: {},
  reasoningTokens: undefined,
  costUsd: undefined,
};
function open() {
  let ids = 0;
  const head = { id: 'resp_1', created: 7, model: 'openai/x' };
  return new ResponseFrames(head, { model: 'x', input: 'Hi' }, (prefix) => `${prefix}_${++ids}`);
}
interface Event {
  type: string;
  sequence_number: number;
  response?: unknown;
}
function read(frames: string): Event[] {
  return frames
    .split('\n\n')
    .filter(Boolean)
    .map((block) => {
      const [name = '', data = ''] = block.split('\n');
      const event = JSON.parse(data.replace(/^data: /, '')) as Event;
      expect(name).toBe(`event: ${event.type}`);
      if (event.response !== undefined) openaiResponseSchema.parse(event.response);
      return event;
    });
}

it('opens and closes each item, with rising numbers', () => {
  const frames = open();
  const events = read(
    frames.begin() + frames.frames([text('Hel')]) + frames.frames([text('lo'), call]) + frames.end(end),
  );
  expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
    'completed',
  ]);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  expect(events.at(-1)?.response).toMatchObject({
    status: 'completed',
    usage: null,
    output: [
      { type: 'message', id: 'msg_1', content: [{ text: 'Hello' }] },
      { type: 'function_call', id: 'fc_2', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
    ],
  });
});

it('has a message where the model said nothing', () => {
  const frames = open();
  const events = read(frames.begin() + frames.end(end));
  expect(events.at(-1)?.response).toMatchObject({ output: [{ type: 'message', content: [{ text: '' }] }] });
});

it('says why an answer is not complete', () => {
  const frames = open();
  const events = read(frames.begin() + frames.end({ ...end, finishReason: 'length' }));
  expect(events.at(-1)).toMatchObject({
    type: 'response.incomplete',
    response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
  });
});

it('fails with what was said so far', () => {
  const frames = open();
  frames.frames([text('Hel')]);
  expect(read(frames.fail(new AppError('unavailable', 'Away')))).toMatchObject([
    {
      type: 'response.failed',
      response: {
        status: 'failed',
        error: { code: 'unavailable', message: 'Away' },
        output: [{ status: 'incomplete', content: [{ text: 'Hel' }] }],
      },
    },
  ]);
});
