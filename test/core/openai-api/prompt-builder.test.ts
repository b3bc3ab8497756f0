import { expect, it } from 'vitest';
import { PromptBuilder } from '../../../src/core/openai-api/prompt-builder.ts';

const text = (value: string) => ({ type: 'text' as const, text: value });

it('joins system texts at the start, and what one speaker says in several messages', () => {
  const prompt = new PromptBuilder();
  prompt.system('Be brief.');
  prompt.user([text('One?')]);
  prompt.system('Be kind.');
  prompt.user([text('Two?')]);
  prompt.assistant(['One.'], []);
  prompt.assistant(['Two.'], []);
  expect(prompt.build('messages')).toEqual([
    { role: 'system', content: 'Be brief.\n\nBe kind.' },
    { role: 'user', content: [text('One?'), text('Two?')] },
    { role: 'assistant', content: [text('One.'), text('Two.')] },
  ]);
});

it('gives results the names of their tools', () => {
  const prompt = new PromptBuilder();
  prompt.user([text('Look')]);
  prompt.assistant(
    [],
    [
      { id: 'a', name: 'look', arguments: '{"x":1}' },
      { id: 'b', name: 'add', arguments: '' },
    ],
  );
  prompt.result('a', '1', 'messages.2');
  prompt.result('b', '2', 'messages.3');
  expect(prompt.build('messages').slice(1)).toMatchObject([
    {
      role: 'assistant',
      content: [
        { toolCallId: 'a', toolName: 'look', input: { x: 1 } },
        { toolCallId: 'b', toolName: 'add', input: {} },
      ],
    },
    {
      role: 'tool',
      content: [
        { toolCallId: 'a', toolName: 'look' },
        { toolCallId: 'b', toolName: 'add' },
      ],
    },
  ]);
});

it('passes arguments that are no JSON on as they are', () => {
  const prompt = new PromptBuilder();
  prompt.assistant([], [{ id: 'a', name: 'look', arguments: '{"x":' }]);
  expect(prompt.build('messages')).toMatchObject([{ content: [{ input: '{"x":' }] }]);
});

it('names the field of a result without its call, and of a prompt without a message', () => {
  const prompt = new PromptBuilder();
  expect(() => prompt.result('a', '1', 'messages.0.tool_call_id')).toThrow('has a call with the ID "a"');
  prompt.system('Be brief.');
  prompt.user([text('')]);
  expect(() => prompt.build('messages')).toThrow('Expected a message that is not empty');
});
