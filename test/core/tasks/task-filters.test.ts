import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FilterTasksQuery, filterTasksQuerySchema } from '../../../src/contract/tasks.ts';
import { owner } from '../../../src/core/auth/owner.ts';
import { TaskCountStore } from '../../../src/core/storage/task-count-store.ts';
import { CursorCodec } from '../../../src/core/tasks/cursor.ts';
import { TaskListService } from '../../../src/core/tasks/task-list-service.ts';
import { type ReadSizes, readSizes } from '../../../src/core/tasks/task-plan.ts';
import { TaskQueryStore } from '../../../src/core/tasks/task-query-store.ts';
import { sized } from '../../helpers/long.ts';
import { isPro } from '../../helpers/pro.ts';
import { insertTasks, newTask, openStorage, type TestStorage } from '../../helpers/storage.ts';

const listsOf = ({ database }: TestStorage, sizes: ReadSizes) =>
  new TaskListService({
    database,
    query: new TaskQueryStore(database, sizes),
    counts: new TaskCountStore(database),
    cursors: new CursorCodec('a key'),
    runProgress: { of: () => undefined },
  });

/** Few different values, so that filters overlap; the order of creation is not that of the numbers. */
const moment = fc.nat(4).map((minute) => `2026-01-01T00:0${minute}:00.000Z`);
const word = fc.constantFrom('fix', 'test', 'testing', 'page');
const task = fc.record({
  status: fc.constantFrom('pending', 'completed', 'failed'),
  priority: fc.integer({ min: 1, max: 4 }),
  source: fc.constantFrom('api', 'codehost'),
  source_id: fc.option(fc.constantFrom('1', '2')),
  labels: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
  repository: fc.option(fc.constantFrom('o/r', 'o/s')),
  assigned_agent: fc.option(fc.constantFrom('x', 'y')),
  agent_type: fc.option(fc.constantFrom('x', 'y')),
  cwd: fc.option(fc.constantFrom('/w', '/w/a', '/wa')),
  title: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  created_at: moment,
  updated_at: moment,
  completed_at: fc.option(moment),
});
type Made = typeof task extends fc.Arbitrary<infer T> ? T : never;

const query = fc.record(
  {
    status: fc.uniqueArray(fc.constantFrom('pending' as const, 'failed' as const), { minLength: 1 }),
    priority: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1 }),
    source: fc.uniqueArray(fc.constantFrom('api' as const, 'codehost' as const), { minLength: 1 }),
    sourceId: fc.constantFrom('1', '3'),
    labels: fc.uniqueArray(fc.constantFrom('a', 'b', 'nope'), { minLength: 1 }),
    repository: fc.constantFrom('o/r', 'nope'),
    agent: fc.constantFrom('x', 'nope'),
    cwd: fc.constantFrom('/w', '/w/a', '/'),
    createdAfter: moment,
    createdBefore: moment,
    completedAfter: moment,
    completedBefore: moment,
    q: fc.constantFrom('test', 'tes', 'fix page', 'nope'),
  },
  { requiredKeys: [] },
);
type Conditions = Partial<FilterTasksQuery>;

/** What the list promises, tested task by task. */
function matches(made: Made, { q, labels, cwd, ...is }: Conditions): boolean {
  const agent = made.agent_type ?? made.assigned_agent;
  const words = made.title.split(' ');
  const asked = q?.split(' ') ?? [];
  const inside = cwd === '/' ? '/' : `${cwd}/`;
  return [
    !is.status || is.status.some((status) => status === made.status),
    !is.priority || is.priority.some((priority) => priority === made.priority),
    !is.source || is.source.some((source) => source === made.source),
    is.sourceId === undefined || made.source_id === is.sourceId,
    !labels || labels.every((label) => made.labels.some((own) => own === label)),
    is.repository === undefined || made.repository === is.repository,
    is.agent === undefined || agent === is.agent,
    cwd === undefined || (made.cwd !== null && (made.cwd === cwd || made.cwd.startsWith(inside))),
    is.createdAfter === undefined || made.created_at >= is.createdAfter,
    is.createdBefore === undefined || made.created_at < is.createdBefore,
    is.completedAfter === undefined || (made.completed_at ?? '') >= is.completedAfter,
    is.completedBefore === undefined ||
      (made.completed_at !== null && made.completed_at < is.completedBefore),
    asked.every((part, index) =>
      words.some((own) => (index === asked.length - 1 ? own.startsWith(part) : own === part)),
    ),
  ].every(Boolean);
}

/** The values that a list is sorted by; in the end the number of the task. */
const keyOf = (made: Made & { index: number }, sortBy: FilterTasksQuery['sortBy']) =>
  ({
    createdAt: [made.created_at],
    updatedAt: [made.updated_at],
    completedAt: [made.completed_at ?? ''],
    priority: [String(made.priority), made.created_at],
  })[sortBy]
    .concat(String(made.index).padStart(3, '0'))
    .join();

describe('filters of tasks', () => {
  it('leave the tasks that match all of them, in order and page by page, however they are read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(task, { minLength: 1, maxLength: 40, size: 'max' }),
        query,
        fc.constantFrom('createdAt', 'updatedAt', 'completedAt', 'priority'),
        fc.constantFrom('asc', 'desc'),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(0, 3, readSizes.few),
        fc.constantFrom(1, 8, readSizes.matches),
        fc.constantFrom(1, 5, readSizes.page),
        fc.constantFrom(0, 2, readSizes.ahead),
        async (tasks, conditions, sortBy, sortOrder, limit, few, matched, most, ahead) => {
          await using storage = await openStorage();
          await insertTasks(
            storage,
            tasks.map((made, index) =>
              newTask(`t${index}`, { ...made, labels: JSON.stringify(made.labels) }),
            ),
          );
          const sizes = { few, matches: matched, directory: few * 2, page: Math.min(most, matched), ahead };
          const lists = listsOf(storage, { ...readSizes, ...sizes });
          const expected = tasks
            .map((made, index) => ({ ...made, index }))
            .filter((made) => matches(made, conditions))
            .filter((made) => sortBy !== 'completedAt' || made.completed_at !== null)
            .toSorted((a, b) => (keyOf(a, sortBy) < keyOf(b, sortBy) ? -1 : 1))
            .map(({ index }) => `t${index}`);
          if (sortOrder === 'desc') expected.reverse();
          const seen: string[] = [];
          let cursor: string | undefined;
          do {
            const rest = filterTasksQuerySchema.parse({ sortBy, sortOrder, limit: String(limit), cursor });
            const page = await lists.filter(owner, { ...rest, ...conditions });
            // Of a text, no more than so many matches are looked at: the total then is a bound.
            const isCut =
              conditions.q !== undefined && matched < tasks.length && page.totalIsLowerBound === true;
            expect(isCut || page.totalIsLowerBound === undefined).toBe(true);
            if (isCut) expect(page.total).toBeLessThanOrEqual(expected.length);
            else expect(page.total).toBe(expected.length);
            seen.push(...page.tasks.map(({ id }) => id));
            cursor = page.nextCursor;
          } while (cursor !== undefined);
          expect(seen).toEqual(expected);
        },
      ),
      { numRuns: isPro ? 30 : sized(60, 300) },
    );
  });

  it('reads a page in the order of the list where the first matches of a text do not have it', async () => {
    await using storage = await openStorage();
    // Imported tasks: the later their number, the earlier they were created.
    const minutes = [4, 3, 2, 1, 0];
    await insertTasks(
      storage,
      minutes.map((minute) =>
        newTask(`t${minute}`, { title: 'test', created_at: `2026-01-01T00:0${minute}:00.000Z` }),
      ),
    );
    const lists = listsOf(storage, { ...readSizes, page: 1, few: 1, matches: 3 });
    const query = filterTasksQuerySchema.parse({ q: 'test', sortOrder: 'asc', limit: '2' });
    const { tasks } = await lists.filter(owner, query);
    expect(tasks.map(({ id }) => id)).toEqual(['t0', 't1']);
  });

  it('count up to a bound, and say so', async () => {
    await using storage = await openStorage();
    await insertTasks(
      storage,
      Array.from({ length: 6 }, (_, index) => newTask(`t${index}`, { labels: '["a"]' })),
    );
    const lists = listsOf(storage, { ...readSizes, few: 2, indexed: 4, counted: 4, examined: 3 });
    const totalOf = async (parameters: object) => {
      const page = await lists.filter(owner, filterTasksQuerySchema.parse(parameters));
      return [page.total, page.totalIsLowerBound];
    };
    expect(await totalOf({ labels: 'a', limit: '2' })).toEqual([4, true]);
    expect(await totalOf({ labels: 'a', limit: '2', offset: '3' })).toEqual([6, true]);
    expect(await totalOf({ labels: 'nope' })).toEqual([0, undefined]);
    expect(await totalOf({ status: 'pending' })).toEqual([6, undefined]);
  });
});
