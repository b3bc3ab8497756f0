import { sql } from 'kysely';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterTasksQuerySchema } from '../../../src/contract/tasks.ts';
import { owner } from '../../../src/core/auth/owner.ts';
import { CursorCodec } from '../../../src/core/tasks/cursor.ts';
import { TaskCountStore } from '../../../src/core/storage/task-count-store.ts';
import { TaskListService } from '../../../src/core/tasks/task-list-service.ts';
import { TaskQueryStore } from '../../../src/core/tasks/task-query-store.ts';
import { insertTasks, newTask, openStorage, type TestStorage } from '../../helpers/storage.ts';
import { sized } from '../../helpers/long.ts';
import { isPro } from '../../helpers/pro.ts';

/** The ids of the tasks that a search finds, oldest first. */
async function search({ database }: TestStorage, q: string): Promise<string[]> {
  const lists = new TaskListService({
    database,
    query: new TaskQueryStore(database),
    counts: new TaskCountStore(database),
    cursors: new CursorCodec('a key'),
    runProgress: { of: () => undefined },
  });
  const found = await lists.filter(owner, {
    ...filterTasksQuerySchema.parse({ sortOrder: 'asc', limit: '500' }),
    q,
  });
  expect(found.total).toBeGreaterThanOrEqual(found.tasks.length);
  return found.tasks.map(({ id }) => id);
}
const countIndexed = async ({ database }: TestStorage) => {
  const indexed = isPro ? sql`task_words where words is not null` : sql`task_text_docsize`;
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${indexed}`.execute(database.read);
  return rows[0]?.n;
};

describe('text search of tasks', () => {
  it('finds a task by words in title, description and prompt', async () => {
    await using storage = await openStorage();
    await insertTasks(storage, [
      newTask('a', { title: 'Fix the login page' }),
      newTask('b', { title: 'Other', description: 'The login is slow' }),
      newTask('c', { title: 'Third', prompt: 'Describe the page for logging in' }),
      newTask('d', { title: 'Split: login', description: 'and', prompt: 'page' }),
    ]);
    const cases: [q: string, found: string][] = [
      ['login', 'abd'],
      ['LOGIN', 'abd'],
      ['login page', 'ad'],
      ['page login', 'ad'],
      ['log', 'abcd'],
      ['log page', ''],
      ['page log', 'acd'],
      ['ogin', ''],
      ['login nothing', ''],
      ['the page', 'ac'],
      ['  login,  page! ', 'ad'],
    ];
    for (const [q, found] of cases) expect((await search(storage, q)).join(''), q).toBe(found);
  });

  it('text search ignores accents', async () => {
    await using storage = await openStorage();
    await insertTasks(storage, [
      newTask('a', { title: 'Größe über Straße' }),
      newTask('b', { title: 'Ångström naïve' }),
      newTask('c', { title: 'задача для агента' }),
      newTask('d', { title: '任务 队列' }),
      newTask('e', { title: 'e\u0301te\u0301' }),
    ]);
    for (const [q, found] of [
      ['grosse', ''],
      ['größe', 'a'],
      ['groß', 'a'],
      ['uber', 'a'],
      ['angstrom', 'b'],
      ['NAÏVE', 'b'],
      ['ЗАДАЧА', 'c'],
      ['аген', 'c'],
      ['队列', 'd'],
      ['été', 'e'],
      ['ete', 'e'],
    ] as const)
      expect((await search(storage, q)).join(''), q).toBe(found);
  });

  it('text search treats operators as text', async () => {
    await using storage = await openStorage();
    await insertTasks(storage, [
      newTask('a', { title: 'this OR that' }),
      newTask('b', { title: 'NOT near AND far' }),
      newTask('c', { title: 'title: "quoted" (x) ^y -z col*umn' }),
      newTask('d', { title: 'that' }),
    ]);
    for (const [q, found] of [
      ['this OR that', 'a'],
      ['that OR this', 'a'],
      ['NOT that', ''],
      ['NEAR(far NOT)', 'b'],
      ['title:quoted', 'c'],
      ['"quoted', 'c'],
      ['"quoted"""', 'c'],
      ['{title prompt}: x', ''],
      ['^y', 'c'],
      ['-z', 'c'],
      ['col*umn', 'c'],
      ["'; drop table tasks; --", ''],
      ['*', ''],
      ['"', ''],
      ['()', ''],
    ] as const)
      expect((await search(storage, q)).join(''), q).toBe(found);
    expect(await search(storage, 'that')).toEqual(['a', 'd']);
  });

  it('text search finds any text by its words and by any prefix of the last one', async () => {
    await using storage = await openStorage();
    const unit = fc.constantFrom(...Array.from('abcxyzABC019äöüßéАбвαβγ任务 \t\n"\'*()-:^+.,;{}'));
    let next = 0;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, minLength: 1, maxLength: 40 }), fc.nat(), async (text, cut) => {
        const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
        const id = `t${next++}`;
        await insertTasks(storage, [newTask(id, { title: 'x', prompt: text })]);
        if (words.length === 0) {
          if (text.trim() !== '') expect(await search(storage, text)).toEqual([]);
          return;
        }
        expect(await search(storage, text)).toContain(id);
        const last = Array.from(words.at(-1) ?? '');
        const beginning = last.slice(0, 1 + (cut % last.length)).join('');
        expect(await search(storage, [...words.slice(0, -1), beginning].join(' '))).toContain(id);
      }),
      { numRuns: sized(30, 150) },
    );
  });

  it('text search finds a task as soon as it is stored', async () => {
    await using storage = await openStorage();
    for (let index = 0; index < 40; index++) {
      await insertTasks(storage, [newTask(`t${index}`, { title: `common word${index}` })]);
      expect(await search(storage, `word${index}`)).toContain(`t${index}`);
      expect(await search(storage, 'common')).toHaveLength(index + 1);
    }
    expect(await countIndexed(storage)).toBe(40);
  });

  it('text search finds tasks across the batches of indexing', async () => {
    await using storage = await openStorage();
    const ids = Array.from({ length: 1203 }, (_, index) => `t${index}`);
    await insertTasks(
      storage,
      ids.map((id) => newTask(id, { title: `bulk ${id}` })),
    );
    for (const id of ['t1202', 't0', 't499', 't500', 't501', 't999', 't1000'])
      expect(await search(storage, `bulk ${id}`)).toContain(id);
    expect(await countIndexed(storage)).toBe(1203);
    await insertTasks(storage, [newTask('later', { title: 'bulk later' })]);
    expect(await search(storage, 'bulk later')).toEqual(['later']);
    expect(await countIndexed(storage)).toBe(1204);
  });

  it('indexes each task once during simultaneous searches and writes', async () => {
    await using storage = await openStorage();
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        await insertTasks(storage, [newTask(`t${index}`, { title: `busy n${index}n` })]);
        expect(await search(storage, `n${index}n`)).toEqual([`t${index}`]);
      }),
    );
    expect(await search(storage, 'busy')).toHaveLength(30);
    expect(await countIndexed(storage)).toBe(30);
  });
});
