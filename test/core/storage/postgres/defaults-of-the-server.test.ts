import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '../../../../src/core/storage/postgres/start-postgres.ts';
import { hasPostgres, newPostgresDatabase, queryOnce } from '../../../helpers/postgres-server.ts';

const reportBug = (error: unknown) => expect.fail(String(error));

/** An empty database whose defaults the test may change, and a start of the storage on it. */
async function openDatabase() {
  const { url, drop } = await newPostgresDatabase('none');
  const warnings: string[] = [];
  return {
    url,
    warnings,
    set: (what: string) => queryOnce(url, `alter database ${new URL(url).pathname.slice(1)} set ${what}`),
    start: () =>
      startPostgres({
        url,
        prepared: true,
        readers: 2,
        writers: 3,
        reportBug,
        warn: (message) => warnings.push(message),
      }),
    [Symbol.asyncDispose]: drop,
  };
}

describe.skipIf(!hasPostgres)('the defaults of a PostgreSQL database (needs PostgreSQL)', () => {
  it('are not those of the isolation of writes', async () => {
    await using place = await openDatabase();
    await place.set('default_transaction_isolation = serializable');
    const database = await place.start();
    // At another level, the server refuses one of two that change the same row, which then runs again.
    const level = sql<{ level: string }>`select current_setting('transaction_isolation') as level`;
    const { rows } = await database.write(({ db }) => level.execute(db));
    expect(rows).toEqual([{ level: 'read committed' }]);
    await database.close();
  });

  it('that put another schema before the tables of svc are refused with what to do', async () => {
    await using place = await openDatabase();
    await (await place.start()).close();
    await queryOnce(place.url, 'create schema other');
    await place.set('search_path = other, public');
    await expect(place.start()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/the schema public, .* the schema other before it.*SET search_path/),
    });
  });

  it('that refuse writes are named at the start', async () => {
    await using place = await openDatabase();
    await (await place.start()).close();
    await place.set('default_transaction_read_only = on');
    await expect(place.start()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('SET default_transaction_read_only = off'),
    });
  });

  it('that refuse writes while a daemon runs are its fault until one is taken', async () => {
    await using place = await openDatabase();
    const database = await place.start();
    const write = () =>
      database.write(({ db }) => db.insertInto('state').values({ key: 'written', value: '1' }).execute());
    // A connection that is there keeps the defaults with which it began.
    const name = new URL(place.url).pathname.slice(1);
    const reconnect = () =>
      queryOnce(
        new URL('/postgres', place.url).href,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      );
    await place.set('default_transaction_read_only = on');
    await reconnect();
    await expect(write()).rejects.toMatchObject({ code: 'unavailable' });
    const fault = { kind: 'read_only', message: expect.stringContaining('default_transaction_read_only') };
    expect(await database.checkNow()).toMatchObject(fault);
    await queryOnce(
      new URL('/postgres', place.url).href,
      `alter database ${name} reset default_transaction_read_only`,
    );
    await reconnect();
    await write();
    expect(await database.checkNow()).toBeUndefined();
    await database.close();
  });

  it('a table of another program with the name of one of svc is no database of svc', async () => {
    await using place = await openDatabase();
    await queryOnce(place.url, 'create table schema_migrations (version text)');
    await expect(place.start()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/tables of another program \(schema_migrations\)/),
    });
  });

  it('a server that does not wait for its disk is used, with a warning', async () => {
    await using place = await openDatabase();
    await (await place.start()).close();
    expect(place.warnings).toEqual([expect.stringContaining('fsync is off')]);
  });
});
