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
  it('the task columns equal those of the table', async () => {
    await using storage = await openStorage();
    const [table] = (await storage.database.read.introspection.getTables()).filter(
      ({ name }) => name === 'tasks',
    );
    expect(table?.columns.map(({ name }) => name).sort()).toEqual(Object.keys(taskColumns).sort());
  });

  it('the task columns contain each field of the contract once', () => {
    const fields = fieldsWhere(() => true).map(({ field }) => field);
    expect(fields.sort()).toEqual(Object.keys(exportedTaskSchema.shape).sort());
    for (const field of taskFields) expect(taskColumns).toHaveProperty(columnOf[field]);
  });

  it('the task columns store every field of a new task', () => {
    // No client follows the retry of an attached task.
    // Variables are stored sealed, under no field of their own.
    const { idempotencyKey: _, attached: __, env: ___, ...said } = createTaskSchema.shape;
    const taken = fieldsWhere(({ onCreate, onRetry }) => onCreate !== 'store' && onRetry === 'copy');
    expect(taken.map(({ field }) => field)).toEqual(expect.arrayContaining(Object.keys(said)));
  });

  it('long texts are not in the row of state changes', () => {
    for (const long of ['prompt', 'description', 'result', 'error', 'metadata'])
      expect(headColumns).not.toContain(long);
  });

  it('an imported task never has the right to run commands from the file', () => {
    expect(columnsWhere(({ transfer }) => transfer === 'never')).toContain('may_command');
    expect(fieldsWhere(({ transfer }) => transfer !== 'never').map(({ column }) => column)).not.toContain(
      'may_command',
    );
  });
});

it('keeps the taint of a task that is stored together with others', async () => {
  await using storage = await openStorage();
  await insertTasks(storage, [newTask('a'), newTask('b')]);
  await insertTasks(storage, [newTask('c'), newTask('d', { is_trusted: 0, security_mode: 'deny' })]);
  expect(await storage.store.find('d')).toMatchObject({ is_trusted: 0, security_mode: 'deny' });
  expect(await storage.store.find('c')).toMatchObject({ is_trusted: 1, security_mode: null });
});
