import { expect, it } from 'vitest';
import { outgoing, packEvents, unpackEvents } from '../../../src/core/cluster/relay-message.ts';
import { headColumns, untouched } from '../../../src/core/tasks/task-columns.ts';
import { newTask } from '../../helpers/storage.ts';

const headOf = (id: string, change: Parameters<typeof newTask>[1] = {}) => {
  const row = { ...untouched, ...newTask(id, change), seq: 1, event_seq: 1 };
  return Object.fromEntries(headColumns.map((column) => [column, row[column]])) as never;
};
const eventOf = (task: never, seq: number) =>
  outgoing('task', { task, event: { seq, type: 'started', at: '', message: 'Started', data: {} } as never });

it('has each state of a task once, and comes with all its columns where none of them had a value', () => {
  const first = headOf('task_1', { title: 'The first' });
  const second = headOf('task_2', { branch: 'main' });
  const events = [eventOf(first, 1), eventOf(second, 1), eventOf(first, 2)];
  const [text = '', ...more] = packEvents(events, { daemonId: 'a', columns: headColumns });
  expect(more).toEqual([]);
  expect(text.match(/The first/g)).toHaveLength(1);
  expect(text).not.toContain('"completed_at"');
  const arrived = unpackEvents(text, headColumns) as [string, { task: unknown; event: { seq: number } }][];
  expect(arrived.map(([name, { task, event }]) => [name, task, event.seq])).toEqual([
    ['task', first, 1],
    ['task', second, 1],
    ['task', first, 2],
  ]);
});
