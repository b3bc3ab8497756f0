import type { ModelMessage } from 'ai';
import { expect, it } from 'vitest';
import { splitRun } from '../../../../src/core/chat/runs/split-run.ts';
import { resultMessage } from '../../../../src/core/chat/runs/run-state.ts';

const user = (content: string): ModelMessage => ({ role: 'user', content });
const step = (id: string, length: number): ModelMessage[] => [
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'read_file', input: {} }] },
  resultMessage({ id, name: 'read_file', args: {} }, id.repeat(length)),
];
/** The history, the request, and three steps. */
const messages = [
  user('Earlier'),
  ...step('x', 100),
  { role: 'assistant', content: 'Answer' } as const,
  user('The request'),
  ...step('a', 4000),
  ...step('b', 4000),
  ...step('c', 4000),
];
const request = 4;

it('leaves out old results first', () => {
  const { head, old, last } = splitRun(messages, 2500, request);
  expect([head, old]).toEqual([[], []]);
  expect(last).toHaveLength(messages.length);
  expect(last[request]).toEqual(user('The request'));
});

it('summarizes the history and older steps, but never the request', () => {
  const { head, old, last } = splitRun(messages, 400, request);
  expect(head).toEqual([user('The request')]);
  expect(old.slice(0, 4).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(old).not.toContainEqual(user('The request'));
  expect(last.map(({ role }) => role)).toEqual(['assistant', 'tool']);
});

it('keeps the request where no step was made yet', () => {
  const { head, old, last } = splitRun(messages.slice(0, 5), 10, request);
  expect([head.length, old.length, last.length]).toEqual([1, 4, 0]);
});
