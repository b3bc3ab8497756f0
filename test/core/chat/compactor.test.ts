import { expect, it } from 'vitest';
import { ann, type ChatOptions, openChat, patient, VendorError } from './chat-parts.ts';

/** Long enough that three exchanges do not fit into the window of the model. */
const long = (name: string) => `${name} ${'x'.repeat(600)}`;

async function talk(answer: NonNullable<ChatOptions['answer']>, messages: number) {
  const chat = await openChat({ answer, contextWindow: 1000 });
  const { id } = await chat.conversations.create(ann, { title: 'T', presetId: 'assistant' });
  const exchanges = [];
  for (let n = 1; n <= messages; n++)
    exchanges.push(await chat.conversations.send(ann, id, { content: long(`message ${n}`) }, patient()));
  const row = await chat.store.find(id);
  return { ...chat, id, exchanges, row, stored: (await chat.conversations.get(ann, id)).messages };
}
const isSummary = ({ system }: { system: string | undefined }) => system?.startsWith('Sum up') === true;

it('summarizes older messages when they no longer fit, and continues from the summary', async () => {
  const { exchanges, asked, stored, row } = await talk(
    (each) => ({ text: isSummary(each) ? 'They spoke of doors.' : 'Well' }),
    4,
  );
  const compacted = exchanges.findIndex(({ compaction }) => compaction);
  expect(compacted).toBeGreaterThan(0);
  const { compaction } = exchanges[compacted] ?? {};
  expect(compaction?.originalCount).toBe(compacted * 2 + 1);
  expect(compaction?.compactedCount).toBeLessThan(compaction?.originalCount ?? 0);
  expect(compaction?.tokensAfter).toBeLessThan((compaction?.tokensBefore ?? 0) / 1.5);
  const [summary, after] = asked.slice(asked.findIndex(isSummary));
  expect(summary?.messages[0]).toContain('user: message 1 xxx');
  expect(after?.messages[0]).toMatch(/^user: A summary [^]*They spoke of doors\./);
  expect(after?.messages.join()).not.toContain('message 1 ');
  expect(after?.messages.at(-1)).toContain(`message ${compacted + 1} xxx`);
  expect(stored.map(({ content }) => content)).toEqual(
    [1, 2, 3, 4].flatMap((n) => [long(`message ${n}`), 'Well']),
  );
  expect(row).toMatchObject({ summary: 'They spoke of doors.', message_count: 8 });
  expect(row?.summary_seq).toBeGreaterThan(0);
});

it('includes the earlier summary in the next one', async () => {
  let sums = 0;
  const { asked, row } = await talk((each) => ({ text: isSummary(each) ? `Summary ${++sums}` : 'Well' }), 7);
  expect(sums).toBeGreaterThan(1);
  expect(asked.filter(isSummary)[1]?.messages[0]).toContain('Summary of what came before:\nSummary 1');
  expect(row?.summary).toBe(`Summary ${sums}`);
});

it.each([
  ['fails', () => Promise.reject(new VendorError({ class: 'network' }))],
  ['says nothing', () => ({ text: ' ' })],
  ['is as long as what it sums up', () => ({ text: 'y'.repeat(3000) })],
])('drops the oldest messages when the summary %s', async (_, sum) => {
  const { exchanges, asked, row } = await talk((each) => (isSummary(each) ? sum() : { text: 'Well' }), 4);
  expect(exchanges.at(-1)?.compaction).toMatchObject({ originalCount: 7 });
  expect(asked.at(-1)?.messages.join()).not.toContain('message 1 ');
  expect(asked.at(-1)?.messages.at(-1)).toContain('message 4 ');
  expect(row).toMatchObject({ summary: null, summary_seq: 0 });
});

it('sends a single oversized message to the model unchanged', async () => {
  const { exchanges, asked } = await talk(() => ({ text: 'Well' }), 1);
  expect(exchanges[0]).not.toHaveProperty('compaction');
  const chat = await openChat({ contextWindow: 1000 });
  const { id } = await chat.conversations.create(ann, { title: 'T', presetId: 'assistant' });
  const exchange = await chat.conversations.send(ann, id, { content: 'z'.repeat(9000) }, patient());
  expect(exchange).not.toHaveProperty('compaction');
  expect(asked).toHaveLength(1);
});

it('keeps the newest message of a conversation even when it does not fit', async () => {
  const chat = await openChat({ contextWindow: 1000 });
  const { id } = await chat.conversations.create(ann, { title: 'T', presetId: 'assistant' });
  let last = '';
  for (const name of ['first', 'second'])
    last = (
      await chat.conversations.append(ann, id, { role: 'user', content: `${name} ${'z'.repeat(9000)}` })
    ).id;
  const conversation = await chat.conversations.find(ann, id);
  const { turns } = await chat.conversations.prompt(chat.model, conversation, last);
  expect(turns.map(({ content }) => content.slice(0, 6))).toEqual(['second']);
  expect(chat.asked).toEqual([]);
});
