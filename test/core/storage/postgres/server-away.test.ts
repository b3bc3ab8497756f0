import { execFileSync } from 'node:child_process';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { openPostgres } from '../../../../src/core/storage/postgres/open-postgres.ts';
import type { Database } from '../../../../src/core/storage/database.ts';
import { writeState } from '../../../../src/core/storage/state.ts';
import { hasPostgres, newPostgresDatabase, startPostgres } from '../../../helpers/postgres-server.ts';
import { TcpProxy } from '../../../helpers/tcp-proxy.ts';

const note = (database: Database, key: string) => database.write(({ db }) => writeState(db, key, 'there'));
const keysOf = async (database: Database) => {
  const rows = await database.read.selectFrom('state').select('key').where('value', '=', 'there').execute();
  return rows.map(({ key }) => key).toSorted();
};

/** A database behind a proxy that may be cut, and what it reported as bugs. */
async function openBehindProxy(url: string, silenceMs?: number) {
  const at = new URL(url);
  const proxy = await TcpProxy.start(Number(at.port));
  at.port = String(proxy.port);
  const bugs: unknown[] = [];
  const database = await openPostgres({
    url: at.href,
    prepared: true,
    readers: 5,
    writers: 2,
    reportBug: (error) => bugs.push(error),
    ...(silenceMs !== undefined && { silenceMs }),
  });
  return {
    proxy,
    database,
    bugs,
    async [Symbol.asyncDispose]() {
      await database.close();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** Writes a note in a transaction that has begun, whose rows and commit leave when the test says so. */
async function slowNote(database: Database, key: string) {
  const begun = Promise.withResolvers<number>();
  const leaving = Promise.withResolvers<void>();
  let runs = 0;
  const written = database.write(async (transaction) => {
    runs++;
    const { rows } = await sql<{ id: number }>`select pg_current_xact_id()::text::int as id`.execute(
      transaction.db,
    );
    begun.resolve(rows[0]?.id ?? Number.NaN);
    await leaving.promise;
    transaction.insertLater('state', { key, value: 'there' });
  });
  return { written, id: await begun.promise, goOn: leaving.resolve, runs: () => runs };
}

/** Holds up the event loop until the server has ended the transactions of the database that do nothing. */
function freezeUntilGivenUp(url: string): void {
  const script = `import pg from 'pg';
    const client = new pg.Client(process.argv[1]);
    await client.connect();
    const idle = "select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'";
    while ((await client.query(idle)).rows.length > 0);
    await client.end();`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', script, url]);
}

describe.skipIf(!hasPostgres)('a server that goes away (needs PostgreSQL)', () => {
  it('a way that is cut without a word fails what waits for it, and is found again', async () => {
    const { url, drop } = await newPostgresDatabase();
    {
      await using world = await openBehindProxy(url, 500);
      const { database, proxy, bugs } = world;
      await note(database, 'before');
      proxy.cut();
      await expect(keysOf(database)).rejects.toMatchObject({ code: 'unavailable' });
      await expect(note(database, 'during')).rejects.toMatchObject({ code: 'unavailable' });
      expect(database.fault()).toMatchObject({ kind: 'unavailable' });
      proxy.restore();
      await note(database, 'after');
      expect(await keysOf(database)).toEqual(['after', 'before']);
      expect(database.fault()).toBeUndefined();
      expect(bugs).toEqual([]);
    }
    await drop();
  });

  it('a commit whose answer was lost is found, and its work does not run again', async () => {
    const { url, drop } = await newPostgresDatabase();
    {
      await using world = await openBehindProxy(url);
      const { database, proxy } = world;
      const { written, goOn, runs } = await slowNote(database, 'during');
      proxy.loseAnswers();
      goOn();
      const client = new pg.Client(url);
      await client.connect();
      await vi.waitFor(async () => {
        const { rows } = await client.query(`select 1 from state where key = 'during'`);
        expect(rows).toHaveLength(1);
      }, 10_000);
      await client.end();
      proxy.restore();
      await written;
      expect(runs()).toBe(1);
      await note(database, 'after');
      expect(await keysOf(database)).toEqual(['after', 'during']);
    }
    await drop();
  });

  it(
    'a work runs again whose commit was cut off without a word, once the server has given up its transaction',
    { timeout: 60_000 },
    async () => {
      const { url, drop } = await newPostgresDatabase();
      {
        await using world = await openBehindProxy(url);
        const { database, proxy } = world;
        const { written, goOn, runs } = await slowNote(database, 'during');
        proxy.cut();
        goOn();
        await new Promise(setImmediate);
        proxy.abandon();
        await written;
        expect(runs()).toBe(2);
        expect(await keysOf(database)).toEqual(['during']);
      }
      await drop();
    },
  );

  it('a work runs again whose transaction the server gave up while this process was frozen', async () => {
    const { url, drop } = await newPostgresDatabase();
    {
      const bugs: unknown[] = [];
      const reportBug = (error: unknown) => bugs.push(error);
      const database = await openPostgres({ url, prepared: true, readers: 2, writers: 1, reportBug });
      let runs = 0;
      await database.write(async (transaction) => {
        runs++;
        if (runs === 1) {
          await sql`set local idle_in_transaction_session_timeout = 1`.execute(transaction.db);
          freezeUntilGivenUp(url);
        }
        transaction.insertLater('state', { key: 'during', value: 'there' });
      });
      expect(runs).toBe(2);
      expect(await keysOf(database)).toEqual(['during']);
      expect(bugs).toEqual([]);
      await database.close();
    }
    await drop();
  });

  it.each([
    ['was given to another transaction, which committed', 1],
    ['was not given again', -1],
  ])(
    'a work runs again whose transaction a crash has undone, and whose number %s',
    { timeout: 120_000 },
    async (_, beyond) => {
      const server = await startPostgres();
      const { url } = await server.newDatabase();
      {
        await using world = await openBehindProxy(url);
        const { database, proxy, bugs } = world;
        await note(database, 'before');
        const { written, goOn, runs, id: lost } = await slowNote(database, 'during');
        // The commit is sent and does not arrive; nothing of the transaction is on the disk.
        proxy.cut();
        goOn();
        await new Promise(setImmediate);
        await server.crash();
        await server.start();
        const other = new pg.Client(url);
        await other.connect();
        for (let id = 0; id < lost + beyond;)
          ({ id } = (await other.query(`select pg_current_xact_id()::text::int as id`)).rows[0] as {
            id: number;
          });
        await other.end();
        proxy.restore();
        await written;
        expect(runs()).toBe(2);
        expect(await keysOf(database)).toEqual(['before', 'during']);
        expect(bugs).toEqual([]);
      }
      await server.stop();
    },
  );

  it(
    'a failover keeps what was acknowledged, and a standby that takes no writes is no bug',
    { timeout: 120_000 },
    async () => {
      const primary = await startPostgres();
      const { url } = await primary.newDatabase();
      const standby = await primary.standby();
      {
        await using world = await openBehindProxy(url);
        const { database, proxy, bugs } = world;
        await note(database, 'before');
        await standby.caughtUp();
        await primary.crash();
        proxy.target = standby.port;
        proxy.breakOff();
        // In one group: each is told, and what several statements meet is the reason of the first.
        const refused = await Promise.allSettled(['a', 'b', 'c'].map((key) => note(database, key)));
        for (const each of refused)
          expect(each).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
        expect(await database.checkNow()).toMatchObject({ kind: 'read_only' });
        await standby.promote();
        await note(database, 'after');
        expect(await keysOf(database)).toEqual(['after', 'before']);
        expect(bugs).toEqual([]);
      }
      await standby.stop();
      await primary.stop();
    },
  );
});
