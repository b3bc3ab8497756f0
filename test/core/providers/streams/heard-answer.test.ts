import { expect, it } from 'vitest';
import { HeardAnswer, KEPT } from '../../../../src/core/providers/streams/heard-answer.ts';
import type { AnswerPart } from '../../../../src/core/providers/resolved-model.ts';

const text = (delta: string): AnswerPart => ({ type: 'text-delta', id: '1', delta });
const call: AnswerPart = { type: 'tool-call', toolCallId: 'c', toolName: 'read_file', input: '{"path":"a"}' };

it('keeps texts, thoughts and calls in their order, as a whole answer has them', () => {
  const heard = new HeardAnswer();
  heard.add([
    { type: 'stream-start', warnings: [] },
    { type: 'reasoning-delta', id: '0', delta: 'Let me ' },
  ]);
  heard.add([{ type: 'reasoning-delta', id: '0', delta: 'think' }, text('Hel')]);
  heard.add([text('lo'), call, text('!')]);
  expect(heard.content).toEqual([
    { type: 'reasoning', text: 'Let me think' },
    { type: 'text', text: 'Hello' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'read_file', input: '{"path":"a"}' },
    { type: 'text', text: '!' },
  ]);
});

it('keeps little more than is exported, however long the answer is', () => {
  const heard = new HeardAnswer();
  for (let at = 0; at < 150; at++) heard.add([text('a'.repeat(1000)), call]);
  const kept = heard.content.reduce(
    (sum, part) => sum + (part.type === 'tool-call' ? part.input : part.text).length,
    0,
  );
  expect(kept).toBe(KEPT);
  heard.add([text('more')]);
  expect(JSON.stringify(heard.content)).not.toContain('more');
});
