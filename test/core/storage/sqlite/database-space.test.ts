import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { keep, openAt, openTestDatabase, type TestDatabase } from './test-database.ts';

async function fill({ database }: TestDatabase): Promise<void> {
  await database.write(async (transaction) => {
    for (let n = 0; n < 500; n++) await keep(`fact ${n}`, 'x'.repeat(4000))(transaction);
  });
}
const empty = ({ database }: TestDatabase) =>
  database.write(({ db }) => db.deleteFrom('state').where('key', 'like', 'fact%').execute());

/** Bytes of a page of SQLite. */
const PAGE = 4096;

describe('the file of a database', () => {
  it('gives free pages back to the disk in steps of bounded size', async () => {
    await using test = await openTestDatabase();
    await fill(test);
    await empty(test);
    const { space } = test.database;
    const before = await space.read();
    expect(before).toMatchObject({ isIncremental: true });
    expect(before.freeBytes).toBeGreaterThan(450 * PAGE);
    expect(await space.giveBack(100 * PAGE)).toBe(100 * PAGE);
    expect(await space.giveBack(10_000 * PAGE)).toBeGreaterThan(300 * PAGE);
    expect((await space.read()).freeBytes).toBe(0);
    test.writer.exec('pragma wal_checkpoint(truncate)');
    expect(statSync(test.file).size).toBe((await space.read()).bytes);
  });

  it('of an older svc is rewritten once, while reads go on and writes wait', async () => {
    await using test = await openTestDatabase();
    await test.database.close();
    const old = `${test.file}.old`;
    const native = new DatabaseSync(old);
    native.exec('pragma auto_vacuum = none; pragma journal_mode = wal; create table other (a)');
    native.close();
    test.database = await openAt(old);
    await fill(test);
    await empty(test);
    const { database } = test;
    const { space, read } = database;
    const before = await space.read();
    expect(before.isIncremental).toBe(false);
    expect(await space.giveBack(100 * PAGE)).toBe(0);
    const order: string[] = [];
    const rewriting = space.rewrite().then(() => order.push('rewritten'));
    const writing = database.write(keep('fact later')).then(() => order.push('written'));
    await read.selectFrom('state').selectAll().execute();
    order.push('read');
    await Promise.all([rewriting, writing]);
    expect(order).toEqual(['read', 'rewritten', 'written']);
    expect(await space.read()).toMatchObject({ isIncremental: true });
    expect((await space.read()).bytes).toBeLessThan(before.bytes / 2);
    expect(test.database.fault()).toBeUndefined();
  });
});
