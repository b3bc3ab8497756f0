import { CompiledQuery, type KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import { filterTasksQuerySchema } from '../../../src/contract/tasks.ts';
import { owner } from '../../../src/core/auth/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { TaskCountStore } from '../../../src/core/storage/task-count-store.ts';
import { CursorCodec } from '../../../src/core/tasks/cursor.ts';
import { TaskListService } from '../../../src/core/tasks/task-list-service.ts';
import type { TaskConditions } from '../../../src/core/tasks/task-filters.ts';
import { readSizes } from '../../../src/core/tasks/task-plan.ts';
import { TaskQueryStore } from '../../../src/core/tasks/task-query-store.ts';
import { isPro } from '../../helpers/pro.ts';
import { insertTasks, newTask, openStorage } from '../../helpers/storage.ts';

const directories = [
  '/home/a/shop',
  '/home/a/shop/web',
  '/home/a/shop/web/src',
  '/home/a/shop-old',
  '/home/a/shop.bak',
  '/home/a/shop0',
  '/home/a/shö/p',
  '/home/a',
  '/',
  null,
];
/** The ids of the tasks that are listed for a directory, over several pages. */
const under = async (cwd: string, change: Record<string, string> = {}) => {
  await using storage = await openStorage();
  const { database } = storage;
  await insertTasks(
    storage,
    directories.map((path, index) => newTask(path ?? 'none', { cwd: path, owner_id: index % 2 ? 'a' : 'b' })),
  );
  const lists = new TaskListService({
    database,
    query: new TaskQueryStore(database),
    counts: new TaskCountStore(database),
    cursors: new CursorCodec('a key'),
    runProgress: { of: () => undefined },
  });
  const found: string[] = [];
  let cursor: string | undefined;
  let total: number;
  const caller =
    change['owner'] === undefined ? owner : { ...owner, userId: change['owner'], role: 'user' as const };
  do {
    const page = await lists.filter(
      caller,
      filterTasksQuerySchema.parse({ cwd, limit: '2', sortOrder: 'asc', cursor }),
    );
    found.push(...page.tasks.map(({ id }) => id));
    ({ nextCursor: cursor, total } = page);
  } while (cursor !== undefined);
  expect(total).toBe(found.length);
  return found;
};

describe('the tasks of a directory', () => {
  it('work there or below, not beside it', async () => {
    const shop = ['/home/a/shop', '/home/a/shop/web', '/home/a/shop/web/src'];
    expect(await under('/home/a/shop')).toEqual(shop);
    expect(await under('/home/a/shop/')).toEqual(shop);
    expect(await under('/home/a/shop/web')).toEqual(shop.slice(1));
    expect(await under('/home/a/shö')).toEqual(['/home/a/shö/p']);
    expect(await under('/home/b')).toEqual([]);
  });

  it('are all that work somewhere for the root', async () => {
    expect(await under('/')).toEqual(directories.filter((path) => path !== null));
  });

  it('are only those that the caller may see', async () => {
    expect(await under('/home/a/shop', { owner: 'a' })).toEqual(['/home/a/shop/web']);
  });
});

// The plans of SQLite.
describe.skipIf(isPro)('finding them', () => {
  it.each<[string, TaskConditions]>([
    ['of everyone', { cwd: '/home/a' }],
    ['of one user', { cwd: '/home/a', ownerId: 'a' }],
  ])('reads and sorts the index of directories, and rows for one page only: %s', async (_, conditions) => {
    await using storage = await openStorage();
    const plans: Promise<string[]>[] = [];
    await insertTasks(storage, [newTask('t', { cwd: '/home/a', owner_id: 'a' })]);
    const query = new TaskQueryStore(explaining(storage.database, plans), { ...readSizes, few: 0 });
    const page = { fields: ['title'] as const, sortBy: 'createdAt', sortOrder: 'desc', limit: 50 } as const;
    const plan = await query.plan(conditions, page);
    await query.page(plan, page);
    await query.count(plan, page);
    const [, paged = [], counted = []] = await Promise.all(plans);
    const search = 'SEARCH tasks USING COVERING INDEX tasks_by_directory (cwd>? AND cwd<?)';
    expect(paged).toContain(search);
    expect(paged).toContain('SEARCH tasks USING INTEGER PRIMARY KEY (rowid=?)');
    expect(counted).toContain(search);
  });
});

/** The database, which notes how it would run each long query. */
function explaining(database: Database, plans: Promise<string[]>[]): Database {
  const { longRead } = database;
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const { sql, parameters } = longRead.getExecutor().compileQuery(node, queryId);
      const explained = longRead.executeQuery<{ detail: string }>(
        CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
      );
      plans.push(explained.then(({ rows }) => rows.map(({ detail }) => detail)));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return Object.create(database, { longRead: { value: longRead.withPlugin(plugin) } }) as Database;
}
