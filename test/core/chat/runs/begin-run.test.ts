import { expect, it } from 'vitest';
import type { SecurityMode } from '../../../../src/contract/security-mode.ts';
import { beginRun } from '../../../../src/core/chat/runs/begin-run.ts';
import { experience, foundChunk, openRecall, preference, untrusted } from '../recall/recall-fixture.ts';

const known = {
  chunks: { keyword: [foundChunk('doors')] },
  experiences: [experience('exp_1', { origin: untrusted }), experience('exp_2')],
};
type Change = { mode?: SecurityMode; isTrusted?: boolean; heardStrangers?: boolean };
const begin = async (change: Change = {}, told: Parameters<typeof openRecall>[0] = known) => {
  const { recall, asked } = openRecall(told);
  const state = await beginRun(recall, {
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Ho' },
      { role: 'user', content: 'Paint the doors' },
    ],
    ownerId: 'user_ann',
    question: 'doors',
    mode: 'ask',
    isTrusted: true,
    heardStrangers: false,
    signal: new AbortController().signal,
    ...change,
  });
  return { state, asked };
};

it('tells a run what fits, within its last message, and keeps which experiences that were', async () => {
  const { state } = await begin();
  expect(state.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  const [first, , last] = state.messages;
  expect(first?.content).toBe('Hi');
  expect(last?.content).toMatch(/^What was learned[^]*What doors says[^]*\n\nPaint the doors$/);
  expect(state.recalled).toEqual(['exp_1', 'exp_2']);
});

it('tells one in which nobody is asked nothing of strangers', async () => {
  const { state } = await begin({ mode: 'full' });
  expect(state.recalled).toEqual(['exp_2']);
});

it('tells one that a stranger set going nothing, and asks for nothing', async () => {
  const { state, asked } = await begin({ isTrusted: false });
  expect(state.messages.at(-1)?.content).toBe('Paint the doors');
  expect(state.recalled).toBeUndefined();
  expect(asked).toEqual([]);
});

it.each([
  ['nothing of strangers is told', { mode: 'full' }, known, false],
  ['an experience of strangers is told', {}, known, true],
  [
    'a preference of strangers is told',
    {},
    { preferences: [preference('tone', { origin: untrusted })] },
    true,
  ],
  ['nothing is told at all', {}, {}, false],
  ['the messages held their words', { mode: 'full', heardStrangers: true }, known, true],
  ['the messages held their words, and nothing is told', { heardStrangers: true }, {}, true],
  ['a stranger set it going', { isTrusted: false }, {}, true],
] as const)('knows whether strangers had a part in it where %s', async (_, change, told, expected) => {
  expect((await begin(change, told as typeof known)).state.heardStrangers).toBe(expected);
});
