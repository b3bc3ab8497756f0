import { readdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { copyToPostgres } from '../../../src/core/moving/copy-to-postgres.ts';
import { copyToSqlite } from '../../../src/core/moving/copy-to-sqlite.ts';
import { reopenSqlite } from '../../../src/core/moving/reopen.ts';
import { startDaemon } from '../../helpers/daemon.ts';
import { hasPostgres } from '../../helpers/postgres-server.ts';
import { fill, makeHome, makeServer, rowsOf, stateOf } from './moving-samples.ts';

describe.skipIf(!hasPostgres)('a copy of the database (needs PostgreSQL)', () => {
  it('leaves the target empty when it is stopped half-way, and can be repeated', async () => {
    using home = await makeHome();
    await using postgres = await makeServer();
    fill(home.databaseFile, 20);
    const stopping = new AbortController();
    const onProgress = ({ done, total }: { done: number; total: number }) => {
      if (done > total / 2) stopping.abort(new Error('stopped'));
    };
    const { signal } = stopping;
    await expect(copyToPostgres(postgres.options(home, { onProgress, signal }))).rejects.toThrow('stopped');
    expect(await postgres.query('select * from users')).toEqual([]);
    expect(stateOf(home.databaseFile, 'moved_to')).toBeUndefined();
    expect(await copyToPostgres(postgres.options(home))).toMatchObject({ wasComplete: false });
  });

  it('only sets the mark where an interrupted copy was complete', async () => {
    using home = await makeHome();
    await using postgres = await makeServer();
    fill(home.databaseFile, 5);
    await copyToPostgres(postgres.options(home));
    expect(await reopenSqlite(home)).toBe(true);
    expect(await copyToPostgres(postgres.options(home))).toMatchObject({ wasComplete: true });
    expect(stateOf(home.databaseFile, 'moved_to')).toContain('PostgreSQL at 127.0.0.1');
  });

  it('refuses a target with other rows, a running daemon and another seed, and changes nothing', async () => {
    using home = await makeHome();
    await using postgres = await makeServer();
    fill(home.databaseFile, 5);
    await copyToPostgres(postgres.options(home));
    using other = await makeHome();
    fill(other.databaseFile, 6);
    const before = rowsOf(other.databaseFile);
    await expect(copyToPostgres(postgres.options(other))).rejects.toThrow(/holds other rows already/);
    await expect(copyToSqlite(postgres.options(other))).rejects.toThrow(/holds other rows already/);
    writeFileSync(other.identityFile, `${'11'.repeat(32)}\n`, { mode: 0o600 });
    await expect(copyToSqlite(postgres.options(other))).rejects.toThrow(/is not the identity/);
    await postgres.query(`insert into daemons (id, host, version, role, started_at, seen_at) values ('d', 'host-a', '1', 'all', '',
      to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`);
    await expect(copyToSqlite(postgres.options(other))).rejects.toThrow(/run: host-a. Stop them all/);
    expect(rowsOf(other.databaseFile)).toEqual(before);
    expect(readdirSync(other.data).filter((name) => name.includes('copy'))).toEqual([]);
  });

  it('marks the old database, with which no daemon starts any more, and names the way back', async () => {
    using home = await makeHome();
    await using postgres = await makeServer();
    fill(home.databaseFile, 5);
    await copyToPostgres(postgres.options(home));
    await expect(startDaemon({ home: home.data })).rejects.toThrow(
      /was copied to PostgreSQL at 127.0.0.1:.*svc storage copy --to sqlite.*svc storage reopen/,
    );
    const back = await copyToSqlite(postgres.options(home));
    expect(back.keptAs).toContain('.before-copy-2026-11-27T05-00-00Z');
    const native = new DatabaseSync(back.keptAs ?? '', { readOnly: true });
    native.close();
    await expect(copyToSqlite(postgres.options(home))).rejects.toThrow(/was copied to .*svc\.db on /);
  });
});
