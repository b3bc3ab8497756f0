import { expect, it } from 'vitest';
import type { RootOperationNode, UnknownRow } from 'kysely';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { TaskEventReader } from '../../../src/core/tasks/task-event-reader.ts';
import { newTask, openStorage } from '../../helpers/storage.ts';

const root: Caller = { userId: 'user_owner', role: 'admin' };

/** A task with events of such sizes, and how many characters of messages were read from the database. */
async function openReader(sizes: number[]) {
  const storage = await openStorage();
  const { database, store, bus } = storage;
  await database.write(async (transaction) => store.insert(transaction, newTask('task_1'), []));
  await database.write(async (transaction) => {
    const head = await store.lockHead(transaction, 'task_1');
    if (!head) throw new Error('There is no task');
    await store.addEvents(
      transaction,
      head,
      new Date(0),
      sizes.map((size) => ({ type: 'output' as const, message: 'x'.repeat(size) })),
    );
  });
  const read = { characters: 0 };
  const counting = {
    transformQuery: ({ node }: { node: RootOperationNode }) => node,
    transformResult: async ({ result }: { result: { rows: UnknownRow[] } }) => {
      for (const { message } of result.rows)
        read.characters += typeof message === 'string' ? message.length : 0;
      return result as never;
    },
  };
  const reader = new TaskEventReader({
    database: { ...database, read: database.read.withPlugin(counting) },
    store,
    bus,
  });
  return { reader, read, [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() };
}

it('a reader who does not read on keeps a few events in memory, not hundreds', async () => {
  await using test = await openReader(Array.from({ length: 300 }, () => 20_000));
  const events = await test.reader.follow(root, 'task_1', 0, new AbortController().signal, false);
  for (let at = 0; at < 3; at++) await events?.next();
  expect(test.read.characters).toBeGreaterThan(0);
  expect(test.read.characters).toBeLessThanOrEqual(64 * 1024);
  let count = 3;
  for await (const event of events ?? []) expect(event.seq).toBe(++count);
  expect(count).toBe(300);
});

it('others have their turn between the pages of a reader', async () => {
  await using test = await openReader(Array.from({ length: 300 }, () => 20_000));
  const events = await test.reader.follow(root, 'task_1', 0, new AbortController().signal, false);
  let turns = 0;
  const count = () => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  for await (const event of events ?? []) expect(event.message).toHaveLength(20_000);
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(50);
});

it('an event that is larger than a page comes alone', async () => {
  await using test = await openReader([10, 500_000, 10, 2_000_000, 10]);
  const events = await test.reader.follow(root, 'task_1', 0, new AbortController().signal, false);
  const sizes: number[] = [];
  for await (const { message } of events ?? []) sizes.push(message.length);
  expect(sizes).toEqual([10, 500_000, 10, 2_000_000, 10]);
});

it('a list ends at a MiB, and says that there is more', async () => {
  await using test = await openReader(Array.from({ length: 300 }, () => 20_000));
  const first = await test.reader.list(root, 'task_1', { after: 0, limit: 5000 });
  expect(first.hasMore).toBe(true);
  expect(JSON.stringify(first).length).toBeLessThan(1.1 * 1024 * 1024);
  let seen = 0;
  for (let hasMore = true; hasMore;) {
    const page = await test.reader.list(root, 'task_1', { after: seen, limit: 5000 });
    expect(page.events[0]?.seq).toBe(seen + 1);
    seen += page.count;
    ({ hasMore } = page);
  }
  expect(seen).toBe(300);
  expect(await test.reader.list(root, 'task_1', { after: 300, limit: 1 })).toMatchObject({
    count: 0,
    hasMore: false,
  });
});
