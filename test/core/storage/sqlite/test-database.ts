import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { vi } from 'vitest';
import type { Database, WriteTransaction } from '../../../../src/core/storage/database.ts';
import { openSqlite } from '../../../../src/core/storage/sqlite/open-sqlite.ts';
import { placeDatabase } from '../../../helpers/place-database.ts';

export interface TestDatabase extends AsyncDisposable {
  database: Database;
  /** The connection that writes. */
  writer: DatabaseSync;
  file: string;
  /** What nobody could be told of. */
  bugs: unknown[];
}

/** A database in a folder of its own. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-storage-'));
  const file = join(folder, 'svc.db');
  const bugs: unknown[] = [];
  await placeDatabase(file);
  const { opened: database, writer } = await watchWriter(() => openAt(file, bugs));
  return {
    database,
    writer,
    file,
    bugs,
    async [Symbol.asyncDispose]() {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const openAt = (file: string, bugs: unknown[] = []): Promise<Database> =>
  openSqlite({ file, synchronous: 'FULL', cacheMiB: 2, reportBug: (error) => bugs.push(error) });

/** Opens something and finds out with which connection it writes, so that a test can put SQLite itself into trouble. */
export async function watchWriter<T>(open: () => Promise<T>): Promise<{ opened: T; writer: DatabaseSync }> {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  try {
    const opened = await open();
    // The last, because a daemon for a test may first make an empty database for all.
    const call = exec.mock.calls.findLastIndex(([text]) => text.includes('journal_mode'));
    const writer = exec.mock.contexts[call];
    if (!(writer instanceof DatabaseSync)) throw new Error('nobody writes');
    return { opened, writer };
  } finally {
    exec.mockRestore();
  }
}

/** A work that keeps a small fact. */
export const keep =
  (key: string, value = '1') =>
  async ({ db }: WriteTransaction): Promise<void> => {
    await db.insertInto('state').values({ key, value }).execute();
  };

/** The facts as another connection sees them. */
export function factsIn(file: string): string[] {
  const other = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = other.prepare("select key from state where key like 'fact%' order by key").all();
    return rows.map((row) => String(row['key']));
  } finally {
    other.close();
  }
}
