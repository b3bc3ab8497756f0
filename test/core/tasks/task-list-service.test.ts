import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterTasksQuerySchema } from '../../../src/contract/tasks.ts';
import type { ListedTask, Task } from '../../../src/contract/task.ts';
import { owner } from '../../../src/core/auth/owner.ts';
import { CursorCodec } from '../../../src/core/tasks/cursor.ts';
import { TaskCountStore } from '../../../src/core/storage/task-count-store.ts';
import { TaskListService } from '../../../src/core/tasks/task-list-service.ts';
import { TaskQueryStore } from '../../../src/core/tasks/task-query-store.ts';
import { insertTasks, newTask, openStorage, type TestStorage } from '../../helpers/storage.ts';
import { sized } from '../../helpers/long.ts';

const listsOf = ({ database }: TestStorage) =>
  new TaskListService({
    database,
    query: new TaskQueryStore(database),
    counts: new TaskCountStore(database),
    cursors: new CursorCodec('a key'),
    runProgress: { of: () => undefined },
  });
/** Few different values, so that many are equal. */
const moment = fc.nat(4).map((minute) => `2026-01-01T00:0${minute}:00.000Z`);
const row = fc.record({
  priority: fc.integer({ min: 1, max: 4 }),
  status: fc.constantFrom('pending', 'completed', 'failed'),
  created_at: moment,
  updated_at: moment,
  completed_at: fc.option(moment),
});
const compare = (a: (string | number)[], b: (string | number)[]) => {
  const at = a.findIndex((key, index) => key !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
};
const sortKeys = ['createdAt', 'updatedAt', 'priority', 'completedAt'] as const;

describe('pages of tasks', () => {
  it('pages by cursor form the whole list, sorted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 40, size: 'max' }),
        fc.constantFrom(...sortKeys),
        fc.constantFrom('asc', 'desc'),
        fc.integer({ min: 1, max: 12 }),
        fc.option(fc.constantFrom('pending', 'pending,failed'), { nil: undefined }),
        async (rows, sortBy, sortOrder, limit, status) => {
          await using storage = await openStorage();
          await insertTasks(
            storage,
            rows.map((change, index) => newTask(`t${index}`, change)),
          );
          const lists = listsOf(storage);
          const page = (cursor?: string) =>
            lists.filter(
              owner,
              filterTasksQuerySchema.parse({
                sortBy,
                sortOrder,
                limit: String(limit),
                status,
                cursor,
                full: 'true',
              }),
            );
          const expected = rows
            .map((change, index) => ({ ...change, id: `t${index}`, index }))
            .filter((task) => status === undefined || status.split(',').includes(task.status))
            .filter((task) => sortBy !== 'completedAt' || task.completed_at !== null)
            .sort((a, b) => {
              const of = (task: typeof a) =>
                ({
                  createdAt: task.created_at,
                  updatedAt: task.updated_at,
                  priority: task.priority,
                  completedAt: task.completed_at ?? '',
                })[sortBy];
              const keys = (task: typeof a) => [
                of(task),
                ...(sortBy === 'priority' ? [task.created_at] : []),
                task.index,
              ];
              const order = compare(keys(a), keys(b));
              return sortOrder === 'asc' ? order : -order;
            })
            .map(({ id }) => id);
          const seen: string[] = [];
          let pages = 0;
          for (
            let cursor: string | undefined, isFirst = true;
            isFirst || cursor !== undefined;
            isFirst = false
          ) {
            const { tasks, nextCursor, total } = await page(cursor);
            expect(total).toBe(expected.length);
            expect(tasks.length).toBeLessThanOrEqual(limit);
            seen.push(...tasks.map(({ id }) => id));
            cursor = nextCursor;
            pages++;
          }
          expect(seen).toEqual(expected);
          expect(pages).toBe(Math.max(1, Math.ceil(expected.length / limit)));
        },
      ),
      { numRuns: sized(8, 40) },
    );
  }, 180_000);

  it('pages by cursor equal pages by offset', async () => {
    await using storage = await openStorage();
    await insertTasks(
      storage,
      Array.from({ length: 25 }, (_, index) => newTask(`t${index}`)),
    );
    const lists = listsOf(storage);
    const all: ListedTask[] = [];
    for (let offset = 0; offset < 30; offset += 5) {
      const query = filterTasksQuerySchema.parse({ limit: '5', offset: String(offset) });
      all.push(...(await lists.filter(owner, query)).tasks);
    }
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 25 }, (_, index) => `t${24 - index}`));
  });
});

describe('a list', () => {
  it('a list leaves out missing fields', async () => {
    await using storage = await openStorage();
    await insertTasks(storage, [newTask('bare')]);
    const { tasks } = await listsOf(storage).filter(owner, filterTasksQuerySchema.parse({ full: 'true' }));
    const expected: Partial<Task> = {
      id: 'bare',
      title: 'bare',
      status: 'pending',
      priority: 3,
      source: 'api',
      labels: [],
      attempts: 0,
      maxAttempts: 3,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    };
    expect(tasks).toEqual([expected]);
  });
});
