import { expect, it } from 'vitest';
import { CallDeltas } from '../../../src/core/openai-api/call-deltas.ts';
import type { AnswerPart } from '../../../src/core/providers/resolved-model.ts';

const call = (toolName: string, input: string, more: object = {}): AnswerPart => ({
  type: 'tool-call',
  toolCallId: `id-${toolName}`,
  toolName,
  input,
  ...more,
});
const start = (toolName: string, more: object = {}): AnswerPart => ({
  type: 'tool-input-start',
  id: `id-${toolName}`,
  toolName,
  ...more,
});
const delta = (toolName: string, text: string): AnswerPart => ({
  type: 'tool-input-delta',
  id: `id-${toolName}`,
  delta: text,
});
const stepsOf = (...parts: AnswerPart[]) => {
  const deltas = new CallDeltas(['look', 'add']);
  return parts.flatMap((part) => deltas.take(part));
};
const kinds = (...parts: AnswerPart[]) => stepsOf(...parts).map(({ kind, index }) => `${index} ${kind}`);

it('passes the pieces of the arguments on as they come', () => {
  const parts = [start('look'), delta('look', '{"a"'), delta('look', ':1}'), call('look', '{"a":1}')];
  expect(stepsOf(...parts)).toMatchObject([
    { kind: 'start', id: 'id-look', name: 'look' },
    { kind: 'arguments', delta: '{"a"' },
    { kind: 'arguments', delta: ':1}' },
    { kind: 'end', call: { function: { arguments: '{"a":1}' } } },
  ]);
});

it('makes pieces of a call that comes whole', () => {
  expect(kinds(call('look', '{}'))).toEqual(['0 start', '0 arguments', '0 end']);
  expect(kinds(start('look'), call('look', '{}'))).toEqual(['0 start', '0 arguments', '0 end']);
});

it('counts the calls', () => {
  expect(kinds(call('look', '{}'), call('add', '{}')).filter((kind) => kind.endsWith('start'))).toEqual([
    '0 start',
    '1 start',
  ]);
});

it('keeps what was sent where the package tidies it up at the end', () => {
  const [, , end] = stepsOf(start('look'), delta('look', '{ "a": 1 }'), call('look', '{"a":1}'));
  expect(end).toMatchObject({ call: { function: { arguments: '{ "a": 1 }' } } });
});

it('leaves out the tools that a vendor runs itself, also where it says so only at the end', () => {
  expect(
    kinds(start('search', { providerExecuted: true }), delta('search', '{}'), call('search', '{}')),
  ).toEqual([]);
  expect(
    kinds(start('search'), delta('search', '{}'), call('search', '{}', { providerExecuted: true })),
  ).toEqual([]);
});

it('carries the signature that Google wants back', () => {
  const steps = stepsOf(call('look', '{}', { providerMetadata: { google: { thoughtSignature: 'sig' } } }));
  expect(steps.at(-1)).toMatchObject({ call: { extra_content: { google: { thought_signature: 'sig' } } } });
});
