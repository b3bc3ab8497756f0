import { expect, it } from 'vitest';
import type { SecurityMode } from '../../../../src/contract/security-mode.ts';
import { beginRun } from '../../../../src/core/chat/runs/begin-run.ts';
import { experience, foundChunk, openRecall, preference, untrusted } from '../recall/recall-fixture.ts';

const known = {
  chunks: { keyword: [foundChunk('doors')] },
  experiences: [experience('exp_1', { origin: untrusted }), experience('exp_2')],
};
type Change = { mode?: SecurityMode; isTrusted?: boolean; isTainted?: boolean };
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
    isTainted: false,
    scope: 'all',
    signal: new AbortController().signal,
    ...change,
  });
  return { state, asked };
};

it('adds recalled memory to the last message and records the experiences', async () => {
  const { state } = await begin();
  expect(state.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  const [first, , last] = state.messages;
  expect(first?.content).toBe('Hi');
  expect(last?.content).toMatch(/^What was learned[^]*What doors says[^]*\n\nPaint the doors$/);
  expect(state.recalled).toEqual(['exp_1', 'exp_2']);
});

it('recalls no untrusted experience where no person approves calls', async () => {
  const { state } = await begin({ mode: 'full' });
  expect(state.recalled).toEqual(['exp_2']);
});

it('recalls nothing for a run that untrusted text started', async () => {
  const { state, asked } = await begin({ isTrusted: false });
  expect(state.messages.at(-1)?.content).toBe('Paint the doors');
  expect(state.recalled).toBeUndefined();
  expect(asked).toEqual([]);
});

it.each([
  ['only trusted memory is recalled', { mode: 'full' }, known, false],
  ['an untrusted experience is recalled', {}, known, true],
  [
    'an untrusted preference is recalled',
    {},
    { preferences: [preference('tone', { origin: untrusted })] },
    true,
  ],
  ['nothing is recalled', {}, {}, false],
  ['the messages hold untrusted text', { mode: 'full', isTainted: true }, known, true],
  ['the messages hold untrusted text and nothing is recalled', { isTainted: true }, {}, true],
  ['untrusted text started it', { isTrusted: false }, {}, true],
] as const)('decides whether a run is tainted: %s', async (_, change, told, expected) => {
  expect((await begin(change, told as typeof known)).state.isTainted).toBe(expected);
});
