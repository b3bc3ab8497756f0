import { expect, it } from 'vitest';
import { CandidateLines } from '../../../../src/cli/commands/run/candidate-lines.ts';
import type { TaskEvent } from '../../../../src/contract/task.ts';

const event = (candidate: object | undefined): TaskEvent => ({
  seq: 1,
  id: 'evt_1',
  type: 'progress',
  at: '2026-03-02T10:00:00.000Z',
  message: '',
  data: candidate ? { candidate: { ...candidate } } : {},
});

it('keeps one line for each candidate, in their order, with the newest state and tokens', () => {
  const lines = new CandidateLines();
  expect(lines.render(80)).toEqual([]);
  expect(lines.add(event(undefined))).toBe(false);
  lines.add(event({ number: 2, agent: 'codex', state: 'working' }));
  lines.add(event({ number: 1, agent: 'claude\u001b[2J', state: 'working' }));
  expect(lines.add(event({ number: 2, agent: 'codex', tokens: 12_345 }))).toBe(true);
  const [first = '', second = ''] = lines.render(80);
  expect(first).toMatch(/^ {2}1 {2}claude.*working$/);
  expect(first).not.toContain('\u001b');
  expect(second).toMatch(/^ {2}2 {2}codex +working · 12.3k tokens$/);
  expect(lines.render(30).every((line) => line.length <= 45)).toBe(true);
});
