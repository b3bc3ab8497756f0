import { expect, it } from 'vitest';
import { ConversationCompaction } from '../../../src/core/chat/conversation-compaction.ts';
import { ConversationFeeds } from '../../../src/core/chat/conversation-feeds.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { ann, bob, type ChatOptions, openChat, patient, VendorError } from './chat-parts.ts';

/** A conversation of two messages. */
async function open(options: ChatOptions = {}) {
  const chat = await openChat(options);
  const feeds = new ConversationFeeds('1');
  const compaction = new ConversationCompaction({ ...chat, feeds, runtime: systemRuntime });
  const { id } = await chat.conversations.create(ann, { title: 'T', presetId: 'assistant' });
  const say = (role: string, content: string) => chat.conversations.append(ann, id, { role, content });
  await say('user', `Where is the door? ${'x'.repeat(4000)}`);
  await say('assistant', 'On the left.');
  return {
    ...chat,
    id,
    feeds,
    say,
    compact: (keep?: string) => compaction.compact(ann, id, { keep }, patient()),
    compaction,
  };
}
const sumsUp: ChatOptions = { answer: () => ({ text: 'The door is on the left.' }) };

it('the model sums up everything, and gets the summary instead of it from then on', async () => {
  const { compact, asked, id, conversations, store } = await open(sumsUp);
  const { summary, compaction } = await compact();
  expect(summary).toBe('The door is on the left.');
  expect(compaction).toMatchObject({ originalCount: 2, compactedCount: 1 });
  expect(compaction.tokensBefore).toBeGreaterThan(1000);
  expect(compaction.tokensAfter).toBeLessThan(300);
  expect(asked[0]?.messages[0]).toContain('assistant: On the left.');
  const { messages } = await conversations.get(ann, id);
  expect(messages.map(({ content }) => content.slice(0, 12))).toEqual(['Where is the', 'On the left.']);
  expect(await store.find(id)).toMatchObject({ summary, summary_seq: 2 });
  await conversations.send(ann, id, { content: 'And the window?' }, patient());
  const prompt = asked.at(-1)?.messages.join() ?? '';
  expect(prompt).toMatch(/The door is on the left\.[^]*And the window\?$/);
  expect(prompt).not.toContain('xxx');
});

it('sends what to keep to the model', async () => {
  const { compact, asked } = await open(sumsUp);
  await compact('the names of files');
  expect(asked[0]?.system).toContain('The user asks you to keep this above all: the names of files');
});

it('says that there is nothing to compact, until there are new messages', async () => {
  const { compact, say, asked } = await open(sumsUp);
  await compact();
  await expect(compact()).rejects.toMatchObject({
    code: 'wrong_state',
    message: 'There is nothing to compact: no messages came after the last summary',
  });
  expect(asked).toHaveLength(1);
  await say('user', 'And the window?');
  await compact();
  expect(asked[1]?.messages[0]).toContain('Summary of what came before:\nThe door is on the left.');
});

it.each([
  ['fails', () => Promise.reject(new VendorError({ class: 'network' })), 'The vendor failed'],
  ['says nothing', () => ({ text: ' ' }), 'no usable summary'],
  ['says too much', () => ({ text: 'y'.repeat(100_000) }), 'no usable summary'],
])('a model that %s changes nothing', async (_, answer, message) => {
  const { compact, store, id } = await open({ answer });
  await expect(compact()).rejects.toMatchObject({ message: expect.stringContaining(message) });
  expect(await store.find(id)).toMatchObject({ summary: null, summary_seq: 0 });
});

it('is refused while a turn runs', async () => {
  const goOn = Promise.withResolvers<void>();
  const { compact, conversations, id } = await open(sumsUp);
  const turn = conversations.inTurn(id, () => goOn.promise);
  await expect(compact()).rejects.toMatchObject({
    code: 'wrong_state',
    message: expect.stringContaining('A turn of this conversation is not finished'),
  });
  goOn.resolve();
  await turn;
  await compact();
});

it('tells those who follow the conversation', async () => {
  const { compact, feeds, id } = await open(sumsUp);
  const leaving = new AbortController();
  const events = feeds.open(id, undefined, leaving.signal);
  const next = events.next();
  await compact();
  expect(await next).toMatchObject({ value: { data: { type: 'compaction' } } });
  leaving.abort();
});

it('is for the owner only', async () => {
  const { compaction, id } = await open(sumsUp);
  await expect(compaction.compact(bob, id, {}, patient())).rejects.toMatchObject({ code: 'not_found' });
});
