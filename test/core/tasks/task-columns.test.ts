import { describe, expect, it } from 'vitest';
import { createTaskSchema, exportedTaskSchema, taskFields } from '../../../src/contract/task.ts';
import {
  columnOf,
  columnsWhere,
  fieldsWhere,
  headColumns,
  taskColumns,
} from '../../../src/core/tasks/task-columns.ts';
import { newTask, insertTasks, openStorage } from '../../helpers/storage.ts';

describe('the columns of a task', () => {
  it('are those of the table in the database', async () => {
    await using storage = await openStorage();
    const [table] = (await storage.database.read.introspection.getTables()).filter(
      ({ name }) => name === 'tasks',
    );
    expect(table?.columns.map(({ name }) => name).sort()).toEqual(Object.keys(taskColumns).sort());
  });

  it('hold each field of the contract once', () => {
    const fields = fieldsWhere(() => true).map(({ field }) => field);
    expect(fields.sort()).toEqual(Object.keys(exportedTaskSchema.shape).sort());
    for (const field of taskFields) expect(taskColumns).toHaveProperty(columnOf[field]);
  });

  it('take all that a caller may say of a new task', () => {
    const { idempotencyKey: _, ...said } = createTaskSchema.shape;
    const taken = fieldsWhere(({ onCreate, onRetry }) => onCreate !== 'store' && onRetry === 'copy');
    expect(taken.map(({ field }) => field)).toEqual(expect.arrayContaining(Object.keys(said)));
  });

  it('keep long texts out of the row of state changes', () => {
    for (const long of ['prompt', 'description', 'result', 'error', 'metadata'])
      expect(headColumns).not.toContain(long);
  });

  it('never take the right to run commands from a file', () => {
    expect(columnsWhere(({ transfer }) => transfer === 'never')).toContain('may_command');
    expect(fieldsWhere(({ transfer }) => transfer !== 'never').map(({ column }) => column)).not.toContain(
      'may_command',
    );
  });
});

it('keeps the mark of untrusted text of a task that is stored together with others', async () => {
  await using storage = await openStorage();
  await insertTasks(storage, [newTask('a'), newTask('b')]);
  await insertTasks(storage, [newTask('c'), newTask('d', { is_trusted: 0, security_mode: 'deny' })]);
  expect(await storage.store.find('d')).toMatchObject({ is_trusted: 0, security_mode: 'deny' });
  expect(await storage.store.find('c')).toMatchObject({ is_trusted: 1, security_mode: null });
});
