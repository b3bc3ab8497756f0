import { describe, expect, it } from 'vitest';
import { startPostgres } from '../../../../src/core/storage/postgres/start-postgres.ts';
import { hasPostgres, newPostgresDatabase, queryOnce } from '../../../helpers/postgres-server.ts';

describe.skipIf(!hasPostgres)('a database whose commits are not durable (needs PostgreSQL)', () => {
  it('is refused with what to do about it, and used once that is done', async () => {
    const { url, drop } = await newPostgresDatabase();
    const name = new URL(url).pathname.slice(1);
    const start = () =>
      startPostgres({ url, prepared: true, readers: 2, writers: 1, reportBug: () => undefined });
    await queryOnce(url, `alter database ${name} set synchronous_commit = off`);
    const turnOn = `ALTER DATABASE ${name} SET synchronous_commit = on`;
    await expect(start()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(
        `(synchronous_commit is off), so a crash would lose tasks that svc has acknowledged. Turn it on: ${turnOn}`,
      ),
    });
    await queryOnce(url, turnOn);
    await (await start()).close();
    await drop();
  });
});
