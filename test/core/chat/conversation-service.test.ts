import { isPro } from '../../helpers/pro.ts';
import { describe, expect, it } from 'vitest';
import { insertTasks, newTask } from '../../helpers/storage.ts';
import { ann, bob, type ChatOptions, openChat, patient, root, VendorError } from './chat-parts.ts';

async function openConversation(options?: ChatOptions) {
  const chat = await openChat(options);
  const { id } = await chat.conversations.create(ann, { title: 'New conversation', presetId: 'assistant' });
  const send = (content: string, signal = patient()) => chat.conversations.send(ann, id, { content }, signal);
  const contents = async () => (await chat.conversations.get(ann, id)).messages.map(({ content }) => content);
  const stored = () => chat.database.read.selectFrom('messages').selectAll().orderBy('seq').execute();
  return { ...chat, id, send, contents, stored };
}

describe('a message', () => {
  it('stores a message with its answer, and sends earlier messages to the model', async () => {
    const { id, asked, conversations, send, stored } = await openConversation({
      answer: (_, call) => ({ text: `Answer ${call}` }),
    });
    const { userMessage, assistantMessage, usage } = await send('One');
    expect(usage).toEqual({ promptTokens: 3, completionTokens: 2, totalTokens: 5 });
    expect(userMessage).toEqual({
      id: expect.stringMatching(/^msg_/),
      conversationId: id,
      role: 'user',
      content: 'One',
      createdAt: expect.any(String),
    });
    expect(assistantMessage).toEqual({
      id: expect.stringMatching(/^msg_/),
      conversationId: id,
      role: 'assistant',
      content: 'Answer 1',
      provider: 'ollama',
      model: 'test-model',
      usage,
      status: 'completed',
      finishReason: 'stop',
      createdAt: expect.any(String),
    });
    expect(await send('Two')).not.toHaveProperty('compaction');
    expect(asked[1]?.messages).toEqual(['user: One', 'assistant: Answer 1', 'user: Two']);
    const { conversation, messages } = await conversations.get(ann, id);
    expect(conversation).toMatchObject({ title: 'One', messageCount: 4, updatedAt: messages[3]?.createdAt });
    expect(messages.slice(0, 2)).toEqual([userMessage, assistantMessage]);
    expect((await stored()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('keeps a message when the model fails, and does not join it with the next one', async () => {
    const { id, conversations, asked, send, contents } = await openConversation({
      answer: (_, call) => {
        if (call === 1) throw new VendorError({ class: 'network' });
        return { text: 'There' };
      },
    });
    await expect(send('One')).rejects.toMatchObject({ code: 'unavailable' });
    expect((await conversations.get(ann, id)).messages[1]).toMatchObject({
      role: 'assistant',
      content: '',
      status: 'failed',
      error: { code: 'UNAVAILABLE', message: 'The vendor failed' },
    });
    await send('Two');
    expect(asked[1]?.messages).toEqual([
      'user: One',
      'assistant: [This answer failed before it was complete: The vendor failed]',
      'user: Two',
    ]);
    expect(await contents()).toEqual(['One', '', 'Two', 'There']);
  });

  it('a message waits for the one before it', async () => {
    const held = Promise.withResolvers<void>();
    const { send, stored, asked } = await openConversation({
      answer: async (_, call) => {
        if (call === 1) await held.promise;
        return { text: `Answer ${call}` };
      },
    });
    const sent = Array.from({ length: 10 }, (_, index) => send(`Message ${index + 1}`));
    held.resolve();
    await Promise.all(sent);
    const messages = (await stored()).map(({ seq, content }) => [seq, content] as const);
    const numbered = (kind: string) => Array.from({ length: 10 }, (_, index) => `${kind} ${index + 1}`);
    expect(messages.map(([seq]) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(messages.filter(([seq]) => seq % 2 === 0).map(([, content]) => content)).toEqual(
      numbered('Answer'),
    );
    const questions = messages.filter(([seq]) => seq % 2 === 1).map(([, content]) => content);
    // Reads of a database server may overtake each other, before a message has its place.
    expect(isPro ? new Set(questions) : questions).toEqual(
      isPro ? new Set(numbered('Message')) : numbered('Message'),
    );
    expect(asked.map(({ messages }) => messages.length)).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
  });

  it('does not store a message whose client disconnects before its turn, and stores one whose client disconnects later', async () => {
    const gone = new AbortController();
    const begun = Promise.withResolvers<void>();
    const { id, conversations, send, contents } = await openConversation({
      answer: ({ signal }) =>
        new Promise((_, reject) => {
          begun.resolve();
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    const first = send('One', gone.signal);
    const second = send('Two', gone.signal);
    await begun.promise;
    gone.abort();
    await expect(first).rejects.toMatchObject({ code: 'wrong_state' });
    await expect(second).rejects.toMatchObject({ code: 'wrong_state' });
    expect(await contents()).toEqual(['One', '']);
    expect((await conversations.get(ann, id)).messages[1]).toMatchObject({
      status: 'interrupted',
      error: { code: 'CANCELLED' },
    });
  });

  it.each([
    ['  Hello \n there ', 'Hello there'],
    [`${'word '.repeat(20)}`, 'word word word word word word word word word word word word'],
    ['👍'.repeat(70), '👍'.repeat(60)],
  ])('the message %j becomes the title of an untitled conversation', async (content, title) => {
    const { id, send, conversations } = await openConversation();
    await send(content);
    await send('Another');
    expect((await conversations.get(ann, id)).conversation.title).toBe(title);
  });
});

describe('a conversation', () => {
  it('a deleted conversation stores no further answer', async () => {
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const { id, send, conversations, stored } = await openConversation({
      answer: async () => {
        begun.resolve();
        await held.promise;
        return { text: 'Too late' };
      },
    });
    const sent = send('One');
    const waiting = send('Two');
    await begun.promise;
    await conversations.remove(ann, id);
    expect(await stored()).toEqual([]);
    held.resolve();
    await expect(sent).rejects.toMatchObject({ code: 'not_found' });
    await expect(waiting).rejects.toMatchObject({ code: 'not_found' });
    expect(await stored()).toEqual([]);
    await expect(conversations.get(ann, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(conversations.remove(ann, id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('only its owner and administrators see a conversation', async () => {
    const { id, conversations, asked } = await openConversation();
    const missing = { code: 'not_found', message: 'Conversation not found' };
    await expect(conversations.get(bob, id)).rejects.toMatchObject(missing);
    await expect(conversations.remove(bob, id)).rejects.toMatchObject(missing);
    await expect(conversations.send(bob, id, { content: 'Hi' }, patient())).rejects.toMatchObject(missing);
    expect(asked).toEqual([]);
    const page = { limit: 20, offset: 0 };
    expect(await conversations.list(bob, page)).toMatchObject({ conversations: [], total: 0 });
    expect(await conversations.list(root, page)).toMatchObject({ total: 1 });
    expect(await conversations.list(root, { ...page, mine: true })).toMatchObject({ total: 0 });
    expect(await conversations.list(ann, { ...page, mine: true })).toMatchObject({ total: 1 });
    await conversations.send(root, id, { content: 'Hi' }, patient());
    expect((await conversations.get(ann, id)).messages).toHaveLength(2);
  });

  it('a conversation may concern a task of its owner, which is included in the prompt', async () => {
    const { storage, conversations, asked } = await openConversation();
    await insertTasks(storage, [newTask('task_a', { owner_id: 'user_ann', title: 'Fix the door' })]);
    const input = { title: 'T', presetId: 'assistant' as const, taskId: 'task_a' };
    await expect(conversations.create(bob, input)).rejects.toMatchObject({ message: 'Task not found' });
    const { id } = await conversations.create(ann, input);
    expect((await conversations.list(ann, { limit: 9, offset: 0, taskId: 'task_a' })).total).toBe(1);
    await conversations.send(ann, id, { content: 'Hi' }, patient());
    expect(asked[0]?.messages).toEqual([expect.stringMatching(/Title: Fix the door[^]*\n\nHi$/)]);
  });

  it('lists conversations by their last use', async () => {
    const { id, conversations } = await openConversation();
    const titles = ['A', 'B'];
    for (const title of titles) await conversations.create(ann, { title, presetId: 'assistant' });
    await conversations.send(ann, id, { content: 'Newest' }, patient());
    const list = async (limit: number, offset: number) =>
      (await conversations.list(ann, { limit, offset })).conversations.map(({ title }) => title);
    expect(await list(2, 0)).toEqual(['Newest', 'B']);
    expect(await list(2, 2)).toEqual(['A']);
  });
});
