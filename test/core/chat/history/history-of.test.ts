import { expect, it } from 'vitest';
import { historyOf } from '../../../../src/core/chat/history/history-of.ts';
import type { MessageRow } from '../../../../src/core/storage/rows/conversations.ts';

/** A stored message such as `u1`, `a1` for the first of the user and its answer. */
function row(seq: number, name: string, more: Partial<MessageRow> = {}): MessageRow {
  return {
    id: name,
    conversation_id: 'conv_1',
    seq,
    role: name.startsWith('u') ? 'user' : 'assistant',
    content: name,
    provider: null,
    model: null,
    prompt_tokens: null,
    completion_tokens: null,
    total_tokens: null,
    tool_calls: null,
    status: null,
    error: null,
    finish_reason: null,
    reply_to: null,
    steps: null,
    cost_usd: null,
    context_tokens: null,
    context_window: null,
    created_at: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}
const texts = (rows: MessageRow[], upTo?: string) => historyOf(rows, upTo).map(({ content }) => content);
const call = (name: string) => ({ name, arguments: {}, result: `result of ${name}`, status: 'success' });

it('puts each answer behind the message that it answers', () => {
  const rows = [
    row(1, 'u1'),
    row(2, 'u2'),
    row(3, 'a1', { reply_to: 'u1' }),
    row(4, 'a2', { reply_to: 'u2' }),
  ];
  expect(texts(rows)).toEqual(['u1', 'a1', 'u2', 'a2']);
});

it('ends with the message to answer, and leaves out what came after it', () => {
  const rows = [row(1, 'u1'), row(2, 'u2'), row(3, 'a1', { reply_to: 'u1' }), row(4, 'u3')];
  expect(texts(rows, 'u1')).toEqual(['u1']);
  expect(texts(rows, 'u2')).toEqual(['u1', 'a1', 'u2']);
});

it('puts a note where a message got no answer', () => {
  expect(texts([row(1, 'u1'), row(2, 'u2'), row(3, 'a2')])).toEqual([
    'u1',
    '[This message got no answer.]',
    'u2',
    'a2',
  ]);
});

it('reads answers that an earlier version stored: their calls, then their text', () => {
  const [, answer] = historyOf([row(1, 'u1'), row(2, 'a1', { tool_calls: JSON.stringify([call('grep')]) })]);
  expect(answer?.messages?.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant']);
  expect(answer?.content).toBe('[Tool call: grep {}]\n\n[Result of grep]\nresult of grep\n\na1');
});

it('orders calls by steps, and says what an answer without text is', () => {
  const stored = {
    content: 'Let me look',
    tool_calls: JSON.stringify([call('one'), call('two'), call('three')]),
    steps: JSON.stringify([
      { text: 'Let me look', calls: 2 },
      { text: '', calls: 1 },
    ]),
  };
  const roles = (more: Partial<MessageRow>) => {
    const [answer] = historyOf([row(1, 'a1', { ...stored, ...more })]);
    return [answer?.messages?.map(({ role }) => role[0]).join(''), answer?.messages?.at(-1)?.content];
  };
  expect(roles({})).toEqual(['attata', '[This answer was empty.]']);
  expect(roles({ finish_reason: 'max_round_trips' })[1]).toBe(
    '[This turn ended at its limit of tool calls.]',
  );
  expect(roles({ status: 'waiting' })[1]).toBe('[This answer waits for the approval of a tool call.]');
  expect(roles({ status: 'interrupted' })[1]).toBe('[This answer was interrupted before it was complete.]');
});

it('gives calls ids that no vendor refuses and names without characters that some do', () => {
  const calls = [call('open\ndoor'), call('open\ndoor')];
  const messages = [1, 2].flatMap(
    (seq) => historyOf([row(seq, 'a1', { tool_calls: JSON.stringify(calls) })])[0]?.messages ?? [],
  );
  const parts = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  );
  const ids = parts.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []));
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^[a-z0-9]{9}$/);
  expect(parts).toContainEqual(expect.objectContaining({ toolName: 'open_door' }));
});
