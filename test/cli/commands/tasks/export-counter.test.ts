import { expect, it } from 'vitest';
import { ExportCounter } from '../../../../src/cli/commands/tasks/export-counter.ts';

const tasks = [
  { id: 'task_1', title: 'a "quoted" } ] title', labels: ['a', 'b'], metadata: { id: [{ deep: {} }] } },
  { id: 'task_2', prompt: 'ends with a backslash \\', result: null },
  { id: 'task_3', title: '{"id":"task_4"},{"id":"task_5"}' },
];
const document = Buffer.from(
  JSON.stringify({ version: '1', exportedAt: '2026-01-01', taskCount: 3, tasks: tasks }),
);

it.each([1, 7, 100, 10_000])('counts the tasks of an export that comes in pieces of %i bytes', (size) => {
  const counter = new ExportCounter();
  counter.add(document.subarray(0, 80));
  expect(counter).toMatchObject({ total: 3, done: 0 });
  for (let at = 80; at < document.length; at += size) counter.add(document.subarray(at, at + size));
  expect(counter.done).toBe(3);
});

it('knows no total where the head does not say it', () => {
  const counter = new ExportCounter();
  counter.add(Buffer.from('{"tasks":[{}]}'));
  expect(counter).toMatchObject({ total: 0, done: 1 });
});
