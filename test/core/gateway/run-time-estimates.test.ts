import { describe, expect, it } from 'vitest';
import { RunTimeEstimates } from '../../../src/core/gateway/run-time-estimates.ts';
import { FinishedTaskStore } from '../../../src/core/tasks/finished-task-store.ts';
import { insertTasks, newTask, openStorage, type TestStorage } from '../../helpers/storage.ts';

const at = (ms: number) => new Date(Date.parse('2026-01-01T00:00:00.000Z') + ms).toISOString();
const completed = (id: number, tookMs: number) =>
  newTask(`task_${id}`, {
    status: 'completed',
    started_at: at(id * 100_000),
    completed_at: at(id * 100_000 + tookMs),
  });
const estimatesOf = ({ database, bus }: TestStorage) =>
  new RunTimeEstimates({ finished: new FinishedTaskStore(database), bus });

/** Completes a task whose result says how long it took. */
const complete = ({ database, store }: TestStorage, id: string, duration: number) =>
  database.write(async (transaction) => {
    await store.insert(transaction, newTask(id, { status: 'completed', completed_at: at(0) }), [
      { type: 'completed', message: 'Completed', data: { duration } },
    ]);
  });

describe('RunTimeEstimates', () => {
  it('guesses the run time while nothing has completed', async () => {
    await using storage = await openStorage();
    expect(await estimatesOf(storage).average()).toBe(60_000);
  });

  it('estimates from the newest twenty runs, then follows new ones', async () => {
    await using storage = await openStorage();
    await insertTasks(storage, [
      ...Array.from({ length: 10 }, (_, index) => completed(index, 99_000)),
      ...Array.from({ length: 20 }, (_, index) => completed(10 + index, 1000)),
      newTask('task_failed', { status: 'failed', started_at: at(0), completed_at: at(9_000_000) }),
    ]);
    const estimates = estimatesOf(storage);
    expect(await estimates.average()).toBe(1000);
    await complete(storage, 'task_new', 21_000);
    expect(await estimates.average()).toBe(2000);
    for (let count = 0; count < 20; count++) await complete(storage, `task_more_${count}`, 50);
    expect(await estimates.average()).toBe(50);
  });

  it('subscribes to no events before the first estimate', async () => {
    await using storage = await openStorage();
    const estimates = estimatesOf(storage);
    expect(storage.bus.has('task')).toBe(false);
    await estimates.average();
    expect(storage.bus.has('task')).toBe(true);
  });
});
