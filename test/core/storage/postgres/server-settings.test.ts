import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '../../../../src/core/storage/postgres/start-postgres.ts';
import { writeState } from '../../../../src/core/storage/state.ts';
import { hasPostgres, newPostgresDatabase, queryOnce } from '../../../helpers/postgres-server.ts';

const start = (url: string, warn?: (message: string) => void) =>
  startPostgres({
    url,
    prepared: true,
    readers: 2,
    writers: 1,
    reportBug: () => undefined,
    ...(warn && { warn }),
  });

describe.skipIf(!hasPostgres)('a server that is set up in another way (needs PostgreSQL)', () => {
  it('writes at the level that svc counts on, whatever the default of the database is', async () => {
    const { url, drop } = await newPostgresDatabase();
    const name = new URL(url).pathname.slice(1);
    await queryOnce(url, `alter database ${name} set default_transaction_isolation = 'serializable'`);
    const database = await start(url);
    const { rows } = await database.write(({ db }) =>
      sql<{ level: string }>`select current_setting('transaction_isolation') as level`.execute(db),
    );
    expect(rows).toEqual([{ level: 'read committed' }]);
    await database.close();
    await drop();
  });

  it('is used without fsync, with a warning', async () => {
    const { url, drop } = await newPostgresDatabase();
    const warnings: string[] = [];
    await (await start(url, (message) => warnings.push(message))).close();
    expect(warnings).toEqual([expect.stringContaining('ALTER SYSTEM SET fsync = on')]);
    await drop();
  });

  it('says what a user needs who may not create tables', async () => {
    const { url, drop } = await newPostgresDatabase('none');
    await queryOnce(url, 'create role limited login');
    const limited = url.replace('//svc@', '//limited@');
    await expect(start(limited)).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/too few rights in .*ALTER DATABASE NAME OWNER TO USER/),
    });
    await queryOnce(url, 'alter role limited set search_path = nowhere');
    await expect(start(limited)).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('SET search_path = public'),
    });
    await drop();
    await queryOnce(url.replace(/[^/]*$/, 'postgres'), 'drop role limited');
  });

  it('stays in fault as long as its default refuses writes, though it answers as a primary', async () => {
    const { url, drop } = await newPostgresDatabase();
    const name = new URL(url).pathname.slice(1);
    const note = (key: string) => database.write(({ db }) => writeState(db, key, 'there'));
    const maintenance = url.replace(/[^/]*$/, 'postgres');
    const set = (value: string) =>
      queryOnce(maintenance, `alter database ${name} set default_transaction_read_only = ${value}`);
    const database = await start(url);
    await set('on');
    await expect(start(url)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('default_transaction_read_only'),
    });
    await queryOnce(
      maintenance,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    await expect(note('during')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await database.checkNow()).toMatchObject({ kind: 'read_only' });
    expect(database.fault()?.message).toContain('default_transaction_read_only');
    await set('off');
    await note('after');
    expect(database.fault()).toBeUndefined();
    await database.close();
    await drop();
  });
});
