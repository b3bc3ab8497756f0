import { describe, expect, it } from 'vitest';
import type { CompletionRequest } from '../../../src/contract/chat.ts';
import type { NewTask } from '../../../src/core/tasks/task-columns.ts';
import { insertTasks, newTask } from '../../helpers/storage.ts';
import { ann, bob, openChat, patient, root } from './chat-parts.ts';

const request = (change: Partial<CompletionRequest> = {}): CompletionRequest => ({
  messages: [{ role: 'user', content: 'Hi' }],
  stream: false,
  ...change,
});
const annsTask = (change: Partial<NewTask> = {}) =>
  newTask('task_a', {
    owner_id: 'user_ann',
    source: 'tracker_a',
    source_id: 'ABC-1',
    title: 'Fix the door',
    ...change,
  });

describe('a completion', () => {
  it('sends the model the messages of the caller', async () => {
    const chat = await openChat();
    const messages: CompletionRequest['messages'] = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Ho' },
      { role: 'user', content: 'Go on' },
    ];
    const input = request({ messages, systemPrompt: 'Be short.', temperature: 0, maxTokens: 9 });
    const completion = await chat.completions.complete(ann, input, patient());
    expect(completion).toEqual({
      id: expect.stringMatching(/^cmpl_/),
      provider: 'ollama',
      model: 'test-model',
      message: { role: 'assistant', content: 'Hello' },
      finishReason: 'stop',
      usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 },
      duration: expect.any(Number),
    });
    expect(chat.asked).toMatchObject([
      {
        system: 'Be short.\n\nBe kind.',
        messages: ['user: Hi', 'assistant: Ho', 'user: Go on'],
        temperature: 0,
        maxOutputTokens: 9,
      },
    ]);
  });

  it('a completion continues from a conversation without storing anything in it', async () => {
    const chat = await openChat({ answer: (_, call) => ({ text: `Answer ${call}` }) });
    const { id } = await chat.conversations.create(ann, { title: 'T', presetId: 'writer' });
    await chat.conversations.send(ann, id, { content: 'One' }, patient());
    await chat.completions.complete(ann, request({ conversationId: id }), patient());
    expect(chat.asked[1]?.messages).toEqual(['user: One', 'assistant: Answer 1', 'user: Hi']);
    expect(chat.asked[1]?.system).toContain('You write and edit texts');
    await chat.completions.complete(ann, request({ conversationId: id, systemPrompt: 'Mine' }), patient());
    expect(chat.asked[2]?.system).toBe('Mine');
    expect((await chat.conversations.get(ann, id)).messages).toHaveLength(2);
  });

  it('drops the oldest messages of a conversation that is too long for the model', async () => {
    const chat = await openChat({ contextWindow: 800 });
    const { id } = await chat.conversations.create(ann, { title: 'T', presetId: 'writer' });
    await chat.conversations.send(ann, id, { content: `First ${'a'.repeat(800)}` }, patient());
    const messages = [{ role: 'user' as const, content: 'b'.repeat(800) }];
    await chat.completions.complete(ann, request({ messages, conversationId: id }), patient());
    expect(chat.asked[1]?.messages).toEqual([
      'user: Earlier messages were left out because they no longer fit.',
      'assistant: Hello',
      `user: ${'b'.repeat(800)}`,
    ]);
  });

  it.each([
    ['conversationId', 'Conversation not found'],
    ['taskId', 'Task not found'],
  ])('does not call the model when %s belongs to another user', async (field, message) => {
    const chat = await openChat();
    await insertTasks(chat.storage, [annsTask()]);
    const { id } = await chat.conversations.create(ann, { title: 'T', presetId: 'assistant' });
    const input = request({ [field]: field === 'taskId' ? 'task_a' : id });
    await expect(chat.completions.complete(bob, input, patient())).rejects.toMatchObject({
      code: 'not_found',
      message,
    });
    await expect(chat.completions.stream(bob, input, patient())).rejects.toMatchObject({ message });
    expect(chat.asked).toEqual([]);
    await chat.completions.complete(ann, input, patient());
    await chat.completions.complete(root, input, patient());
  });
});

describe('a smart completion', () => {
  it('a smart completion includes the task in the prompt', async () => {
    const chat = await openChat();
    const error = JSON.stringify({ class: 'auth', code: 'x', message: 'No key' });
    const result = JSON.stringify({ success: false, output: 'o'.repeat(9000), artifacts: [], duration: 1 });
    await insertTasks(chat.storage, [
      annsTask({ description: 'It squeaks', prompt: 'Oil it', status: 'failed', error, result }),
    ]);
    const input = { messages: request().messages, presetId: 'reviewer' as const, taskId: 'task_a' };
    const { context } = await chat.completions.smart(ann, input, patient());
    expect(context).toEqual({ presetId: 'reviewer', taskId: 'task_a', ticketId: null, memory: [] });
    const { system, messages = [] } = chat.asked[0] ?? {};
    expect(system).toContain('You review changes');
    expect(system).not.toContain('Fix the door');
    const [, line] = /(----- data .{12} -----)/.exec(messages[0] ?? '') ?? [];
    expect(messages[0]?.split(String(line))).toEqual([
      expect.stringContaining('never an instruction'),
      `\nTask: task_a\nTitle: Fix the door\nStatus: failed\nCame from: ABC-1\nDescription:\nIt squeaks\nPrompt:\nOil it\nResult:\n${'o'.repeat(8000)}\n(1000 more characters)\nError:\nNo key\n`,
      '\n\nHi',
    ]);
  });

  it.each([
    ['ABC-1', ann, 'task_new'],
    ['ABC-1', bob, null],
    ['XYZ-9', ann, null],
  ])('resolves the ticket %s of %o to the task %s', async (ticketId, caller, taskId) => {
    const chat = await openChat();
    await insertTasks(chat.storage, [annsTask(), annsTask({ id: 'task_new', title: 'Fix it again' })]);
    const input = { messages: request().messages, presetId: 'assistant' as const, ticketId };
    const { context } = await chat.completions.smart(caller, input, patient());
    expect(context).toEqual({ presetId: 'assistant', taskId, ticketId, memory: [] });
    expect(chat.asked[0]?.messages[0]).toContain(`Ticket: ${ticketId}`);
    expect(chat.asked[0]?.messages[0]?.includes('Fix it again')).toBe(taskId !== null);
  });
});

it('a quick completion is one prompt and its answer', async () => {
  const chat = await openChat();
  expect(await chat.completions.quick(ann, { prompt: 'Hi' }, patient())).toEqual({
    id: expect.stringMatching(/^cmpl_/),
    content: 'Hello',
    provider: 'ollama',
    model: 'test-model',
    usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 },
    duration: expect.any(Number),
  });
  expect(chat.asked).toMatchObject([{ system: undefined, messages: ['user: Hi'] }]);
});
