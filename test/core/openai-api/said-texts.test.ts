import { expect, it } from 'vitest';
import type { TaskEvent } from '../../../src/contract/task.ts';
import { SaidTexts } from '../../../src/core/openai-api/said-texts.ts';

const event = (type: string, message: string, data: object = {}) => ({ type, message, data }) as TaskEvent;
const printed = (message: string, data: object = {}) =>
  event('output', message, { stream: 'stdout', ...data });

it('joins what a command prints, with a gap between attempts and without its errors', () => {
  const said = new SaidTexts();
  const events = [
    event('started', 'Started'),
    printed('one '),
    event('output', 'not this', { stream: 'stderr' }),
    printed('two'),
    event('retry_scheduled', 'Again'),
    event('started', 'Started'),
    printed('three '),
    printed('four'),
  ];
  expect(events.map((each) => said.take(each)).join('')).toBe('one two\n\nthree four');
});

it('says where the output goes on that is too long for events', () => {
  const said = new SaidTexts();
  expect([said.take(printed('one')), said.cutAt]).toEqual(['one', undefined]);
  expect(said.take(printed('[… the rest is elsewhere …]', { offset: 3, truncated: true }))).toBe('');
  expect(said.cutAt).toBe(3);
  expect([said.take(event('completed', 'Done')), said.cutAt]).toEqual(['', undefined]);
});
