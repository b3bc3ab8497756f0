import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EventBus } from '../../src/core/events.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { openPostgres } from '../../src/core/storage/postgres/open-postgres.ts';
import { openSqlite } from '../../src/core/storage/sqlite/open-sqlite.ts';
import type { NewTask } from '../../src/core/tasks/task-columns.ts';
import { TaskStore } from '../../src/core/tasks/task-store.ts';
import { memoryFolder } from './memory-folder.ts';
import { placeDatabase } from './place-database.ts';
import { newPostgresDatabase } from './postgres-server.ts';
import { isPro } from './pro.ts';
import { watched } from './settle.ts';

export interface TestStorage {
  database: Database;
  bus: EventBus;
  store: TaskStore;
}

/** A database of its own that goes with the test, of the engine that the run is for unless the test says. */
export async function openStorage(onPostgres = isPro): Promise<TestStorage & AsyncDisposable> {
  const { database: opened, remove } = onPostgres ? await ofPostgres() : await ofSqlite();
  const database = watched(opened);
  return {
    ...storageOf(database),
    async [Symbol.asyncDispose]() {
      await database.close();
      await remove();
    },
  };
}

/** What core needs around a database. */
export function storageOf(database: Database): TestStorage {
  const bus = new EventBus();
  return { database, bus, store: new TaskStore(database, bus) };
}

const reportBug = (error: unknown) => {
  throw error;
};

async function ofSqlite() {
  const folder = memoryFolder();
  const file = join(folder, 'svc.db');
  await placeDatabase(file);
  const database = await openSqlite({ file, synchronous: 'OFF', cacheMiB: 4, reportBug });
  return { database, remove: async () => rmSync(folder, { recursive: true, force: true }) };
}

/** Three writers, so that works race as those of several daemons do. */
async function ofPostgres() {
  const made = await newPostgresDatabase();
  const database = await openPostgres({ url: made.url, prepared: true, readers: 5, writers: 3, reportBug });
  return { database, remove: () => made.drop() };
}

/** The row of a new task, all of it as when nobody said anything. */
export const newTask = (id: string, change: Partial<NewTask> = {}): NewTask => ({
  id,
  owner_id: 'user_owner',
  title: id,
  status: 'pending',
  priority: 3,
  source: 'api',
  labels: '[]',
  max_attempts: 3,
  may_command: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ...change,
});

/** Stores the tasks in one transaction, each with the event of its creation. */
export const insertTasks = ({ database, store }: TestStorage, tasks: NewTask[]): Promise<void> =>
  database.write(async (transaction) => {
    for (const task of tasks)
      await store.insert(transaction, task, [{ type: 'created', message: 'Created' }]);
  });
