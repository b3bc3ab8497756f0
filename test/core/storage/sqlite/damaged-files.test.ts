import { closeSync, openSync, renameSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { startDaemon } from '../../../helpers/daemon.ts';
import { keep, openAt, openTestDatabase, type TestDatabase } from './test-database.ts';

/** Closes the database, does something to its file, and keeps the folder until the test is over. */
async function spoil(test: TestDatabase, damage: (file: string) => void): Promise<void> {
  await test.database.close();
  test.database = { ...test.database, close: async () => undefined };
  damage(test.file);
}

/** Writes nonsense over a part of the file. */
function overwrite(file: string, from: number, length: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(length, 0xff), 0, length, from);
  closeSync(handle);
}

const fill = (test: TestDatabase, rows: number, characters: number) =>
  test.database.write(async (transaction) => {
    for (let n = 0; n < rows; n++) await keep(`fact ${n}`, 'x'.repeat(characters))(transaction);
  });

describe('a damaged database file', () => {
  const damages: [string, (file: string) => void][] = [
    ['is something else', (file) => writeFileSync(file, 'This is a letter and no database. '.repeat(500))],
    ['has a broken header', (file) => overwrite(file, 0, 100)],
    ['has broken pages', (file) => overwrite(file, 4096 * 3, 4096 * 20)],
    ['was cut in half', (file) => truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096)],
  ];
  it.each(damages)('refuses a damaged file with a reason: %s', async (_, damage) => {
    await using test = await openTestDatabase();
    await fill(test, 200, 1000);
    await spoil(test, damage);
    await expect(openAt(test.file)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /^The database .*svc.db is damaged \([^]*\). Restore a backup/,
      ) as string,
    });
  });

  it('a damaged database stops the start until the file is moved away', async () => {
    const first = await startDaemon();
    await first.client.tasks.create({ body: { title: 'A task' } });
    await first.stop();
    const file = join(first.home, 'svc.db');
    writeFileSync(file, 'This is a letter and no database. '.repeat(500));
    await expect(startDaemon({ home: first.home })).rejects.toThrow(/is damaged \([^]*Restore a backup/);
    renameSync(file, `${file}.damaged`);
    await using second = await startDaemon({ home: first.home });
    expect((await second.client.tasks.list()).total).toBe(0);
  });
});

describe('a large database', () => {
  it('a large database is checked in the background, and damage stops writes', async () => {
    await using test = await openTestDatabase();
    await fill(test, 90, 1_000_000);
    await spoil(test, (file) => overwrite(file, 40_000_000, 4_000_000));
    const database = await openAt(test.file);
    try {
      await vi.waitFor(
        () => expect(database.write(keep('fact later'))).rejects.toThrow(/is damaged \([^]*Restore a backup/),
        { timeout: 20_000 },
      );
    } finally {
      await database.close();
    }
  });

  it('a large intact database stays writable', async () => {
    await using test = await openTestDatabase();
    await fill(test, 70, 1_000_000);
    await test.database.close();
    const database = await openAt(test.file);
    test.database = database;
    await database.write(keep('fact later'));
    const found = await database.read
      .selectFrom('state')
      .select('value')
      .where('key', '=', 'fact later')
      .execute();
    expect(found).toEqual([{ value: '1' }]);
  });
});
