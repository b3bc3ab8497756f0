import type pg from 'pg';

/** The row of a daemon that said something a moment ago. */
export const placeDaemon = (client: pg.Client, host: string, version: string): Promise<unknown> =>
  client.query(
    `insert into daemons (id, host, version, role, started_at, seen_at) values ('daemon_' || $1, $1, $2, 'all', '',
      to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`,
    [host, version],
  );
