import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreateTask } from '../../../src/contract/task.ts';
import { sparseTaskFields, taskFields } from '../../../src/contract/task.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { failingAdapter, follow, testAdapter } from '../../helpers/tasks.ts';

let daemon: TestDaemon;
/** Titles are single letters in the order of creation. */
const tasks: Partial<CreateTask>[] = [
  { title: 'a', priority: 1, labels: ['bug'], repository: 'x/one', source: 'api' },
  {
    title: 'b',
    priority: 2,
    labels: ['bug', 'urgent'],
    repository: 'x/two',
    source: 'codehost',
    sourceId: 'sched_1',
  },
  { title: 'c', priority: 3, labels: [], source: 'cron', assignedAgent: 'doing' },
  { title: 'd', priority: 4, labels: ['a,b', '"'], source: 'tracker_a', assignedAgent: 'failing' },
  { title: 'e', priority: 1, labels: ['urgent'], repository: 'x/one', source: 'tracker_b' },
  { title: 'f', description: 'Ein Bär', prompt: 'The quick brown fox', sourceUrl: 'https://example.org/f' },
];

beforeAll(async () => {
  const doing = testAdapter(async () => ({ output: 'done' }), { type: 'doing' });
  const failing = { ...failingAdapter('auth'), type: 'failing' };
  daemon = await startDaemon({ extraAdapters: [doing, failing] });
  for (const task of tasks) {
    const created = await daemon.client.tasks.create({ body: { title: '', ...task } });
    if (task.assignedAgent !== undefined) await follow(daemon.client, created.task.id);
  }
});
afterAll(() => daemon[Symbol.asyncDispose]());

type Query = Record<string, string | number | boolean>;
const list = (query: Query = {}) => daemon.client.tasks.list({ query });
const filter = (query: Query = {}) => daemon.client.tasks.filter({ query });
const titlesOf = ({ tasks: found }: { tasks: { title?: string | undefined }[] }) =>
  found.map(({ title }) => title).join('');
const bad = (path: string) => ({
  status: 400,
  message: 'Validation failed',
  details: [expect.objectContaining({ path: expect.stringMatching(new RegExp(`^${path}`)) })],
});

describe('GET /api/tasks', () => {
  it('lists tasks newest first, 50 by default', async () => {
    const page = await list();
    expect(titlesOf(page)).toBe('fedcba');
    expect(page).toMatchObject({ total: 6, count: 6, limit: 50 });
    expect(page).not.toHaveProperty('nextCursor');
  });

  it('lists only the sparse fields by default', async () => {
    const { tasks: shown } = await list();
    const everything = (await list({ full: true })).tasks;
    for (const [index, task] of shown.entries()) {
      const full = everything[index] ?? {};
      const expected = Object.entries(full).filter(([key]) =>
        (sparseTaskFields as readonly string[]).includes(key),
      );
      expect(task).toEqual(Object.fromEntries(expected));
    }
    expect(Object.keys(shown[0] ?? {}).sort()).toEqual([
      'createdAt',
      'id',
      'labels',
      'priority',
      'source',
      'sourceUrl',
      'status',
      'title',
      'updatedAt',
    ]);
    expect(Object.keys(shown[1] ?? {})).toContain('repository');
    expect(Object.keys(shown[2] ?? {})).toContain('assignedAgent');
  });

  it('full lists every field, as for a single task', async () => {
    for (const task of (await list({ full: true })).tasks)
      expect((await daemon.client.tasks.get({ params: { id: task.id } })).task).toEqual(task);
  });

  it('lists the requested fields and the id', async () => {
    const { tasks: shown } = await list({ fields: 'title, prompt', limit: 1 });
    expect(shown).toEqual([{ id: expect.any(String), title: 'f', prompt: 'The quick brown fox' }]);
    expect((await list({ fields: taskFields.join(','), limit: 1 })).tasks).toEqual(
      (await list({ full: true, limit: 1 })).tasks,
    );
    expect((await list({ fields: 'id', full: true, limit: 1 })).tasks[0]).toHaveProperty('prompt');
  });

  it('filters tasks by status', async () => {
    expect(titlesOf(await list({ status: 'pending' }))).toBe('feba');
    expect(await list({ status: 'completed' })).toMatchObject({ total: 1, count: 1 });
    expect(titlesOf(await list({ status: 'failed' }))).toBe('d');
    expect(await list({ status: 'queued' })).toMatchObject({ tasks: [], total: 0, count: 0 });
  });

  it('pages tasks by offset', async () => {
    const page = await list({ limit: 2, offset: 1 });
    expect(titlesOf(page)).toBe('ed');
    expect(page).toMatchObject({ total: 6, count: 2, limit: 2 });
    expect(titlesOf(await list({ offset: 6 }))).toBe('');
  });

  it('pages tasks by a cursor, which is present only while there are more', async () => {
    let seen = '';
    const counts: number[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const page = await list({ limit: 4, ...(cursor !== undefined && { cursor }) });
      seen += titlesOf(page);
      counts.push(page.count);
      cursor = page.nextCursor;
    }
    expect(seen).toBe('fedcba');
    expect(counts).toEqual([4, 2]);
    expect(await list({ limit: 6 })).not.toHaveProperty('nextCursor');
    expect(await list({ limit: 5 })).toHaveProperty('nextCursor');
  });

  it('a cursor continues correctly when tasks are created and deleted', async () => {
    await using other = await startDaemon();
    const create = async (title: string) => (await other.client.tasks.create({ body: { title } })).task.id;
    const ids: string[] = [];
    for (const title of 'abcdef') ids.push(await create(title));
    const { nextCursor: cursor = '' } = await other.client.tasks.list({ query: { limit: 3 } });
    await create('new');
    expect(titlesOf(await other.client.tasks.list({ query: { cursor } }))).toBe('cba');
    // The very task at which the page ended is gone.
    await other.app.database.write(({ db }) =>
      db
        .deleteFrom('tasks')
        .where('id', '=', ids[3] ?? '')
        .execute(),
    );
    expect(titlesOf(await other.client.tasks.list({ query: { cursor } }))).toBe('cba');
  });

  it('rejects the cursor of another query', async () => {
    const { nextCursor: cursor = '' } = await list({ limit: 1 });
    await expect(list({ cursor, status: 'pending' })).rejects.toMatchObject(bad('cursor'));
    await expect(filter({ cursor, sortOrder: 'asc' })).rejects.toMatchObject(bad('cursor'));
    await expect(list({ cursor, offset: 0 })).rejects.toMatchObject(bad('offset'));
    const flipped = `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`;
    await expect(list({ cursor: flipped })).rejects.toMatchObject(bad('cursor'));
  });

  it.each([
    ['limit', '0'],
    ['limit', '501'],
    ['limit', 'abc'],
    ['offset', '-1'],
    ['status', 'done'],
    ['fields', 'id,secret'],
    ['full', 'perhaps'],
  ])('rejects the list parameter %s=%s', async (name, value) => {
    await expect(list({ [name]: value })).rejects.toMatchObject(bad(name));
    await expect(filter({ [name]: value })).rejects.toMatchObject(bad(name));
  });

  it('accepts the limits 1 and 500', async () => {
    expect(await list({ limit: 1 })).toMatchObject({ count: 1, limit: 1 });
    expect(await list({ limit: 500 })).toMatchObject({ count: 6, limit: 500 });
  });
});

describe('GET /api/tasks/filter', () => {
  it.each<[Query, string]>([
    [{}, 'fedcba'],
    [{ status: 'pending' }, 'feba'],
    [{ status: 'completed,failed' }, 'dc'],
    [{ status: ' completed , ' }, 'c'],
    [{ priority: 1 }, 'ea'],
    [{ priority: '2,4' }, 'db'],
    [{ source: 'codehost,cron' }, 'cb'],
    [{ agent: 'doing' }, 'c'],
    [{ agent: 'nobody' }, ''],
    [{ labels: 'bug' }, 'ba'],
    [{ labels: 'urgent,bug' }, 'b'],
    [{ labels: 'BUG' }, ''],
    [{ labels: '"' }, 'd'],
    [{ sourceId: 'sched_1' }, 'b'],
    [{ sourceId: 'sched_1', source: 'api' }, ''],
    [{ repository: 'x/one' }, 'ea'],
    [{ repository: 'x' }, ''],
    [{ repository: 'x/one', priority: 1, labels: 'bug' }, 'a'],
    [{ createdAfter: '2000-01-01' }, 'fedcba'],
    [{ createdBefore: '2000-01-01' }, ''],
    [{ createdAfter: '2999-01-01T00:00:00+02:00' }, ''],
    [{ completedAfter: '2000-01-01' }, 'dc'],
    [{ completedBefore: '2999-01-01' }, 'dc'],
    [{ completedBefore: '2000-01-01' }, ''],
    [{ q: 'quick' }, 'f'],
    [{ q: 'fox qui' }, 'f'],
    [{ q: 'qui fox' }, ''],
    [{ q: 'bär' }, 'f'],
    [{ q: 'bar' }, 'f'],
    [{ q: 'ein BÄR' }, 'f'],
    [{ q: 'f' }, 'f'],
    [{ q: '  ' }, 'fedcba'],
    [{ q: '"' }, ''],
    [{ q: 'quick', status: 'completed' }, ''],
    [{ sortBy: 'createdAt', sortOrder: 'asc' }, 'abcdef'],
    [{ sortBy: 'priority', sortOrder: 'asc' }, 'aebcfd'],
    [{ sortBy: 'priority', sortOrder: 'desc' }, 'dfcbea'],
    [{ sortBy: 'completedAt', sortOrder: 'asc' }, 'cd'],
    [{ sortBy: 'completedAt' }, 'dc'],
    [{ sortBy: 'updatedAt', sortOrder: 'asc' }, 'abcdef'],
    [{ limit: 2, offset: 2 }, 'dc'],
  ])('the filter %j finds "%s"', async (query, expected) => {
    const page = await filter(query);
    expect(titlesOf(page)).toBe(expected);
    const { limit = 50, offset = 0 } = query;
    expect(page).toMatchObject({ limit, offset });
    if (query['limit'] === undefined) expect(page.total).toBe(expected.length);
    else expect(page.total).toBe(6);
  });

  it('compares dates as exact times, with an inclusive start', async () => {
    const { tasks: all } = await filter({ sortOrder: 'asc' });
    const third = all[2]?.createdAt ?? '';
    const after = await filter({ createdAfter: third });
    const before = await filter({ createdBefore: third });
    expect(after.total + before.total).toBe(6);
    expect(titlesOf(after)).toContain('c');
    expect(titlesOf(before)).not.toContain('c');
    const elsewhere = new Date(Date.parse(third) + 7_200_000).toISOString().replace('Z', '+02:00');
    expect(titlesOf(await filter({ createdAfter: elsewhere }))).toBe(titlesOf(after));
  });

  it.each([
    ['status', 'pending,done'],
    ['priority', '0'],
    ['priority', '1,5'],
    ['source', 'email'],
    ['createdAfter', 'today'],
    ['createdBefore', '2026-02-30'],
    ['completedAfter', '01.02.2026'],
    ['completedBefore', '2026-01-01T25:00:00Z'],
    ['sortBy', 'title'],
    ['sortOrder', 'random'],
    ['repository', 'x'.repeat(201)],
    ['agent', 'x'.repeat(101)],
    ['q', 'x'.repeat(1001)],
  ])('rejects the filter %s=%s', async (name, value) => {
    await expect(filter({ [name]: value })).rejects.toMatchObject(bad(name));
  });
});

describe('GET /api/tasks/analytics', () => {
  it('counts tasks by every property', async () => {
    const analytics = await daemon.client.tasks.getAnalytics();
    expect(analytics).toMatchObject({
      total: 6,
      byStatus: { pending: 4, completed: 1, failed: 1 },
      byPriority: { 1: 2, 2: 1, 3: 2, 4: 1 },
      bySource: { api: 2, codehost: 1, cron: 1, tracker_a: 1, tracker_b: 1 },
      byAgent: {
        doing: { count: 1, completed: 1, failed: 0 },
        failing: { count: 1, completed: 0, failed: 1 },
      },
      successRate: 0.5,
      failureRate: 0.5,
    });
    expect(analytics.daily).toHaveLength(30);
    expect((await daemon.client.tasks.getAnalytics({ query: { days: 7 } })).daily).toHaveLength(7);
  });
});
