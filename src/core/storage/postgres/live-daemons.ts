import type pg from 'pg';

/** A daemon that has said nothing for so many seconds does not count as running any more. */
export const SILENT_SECONDS = 30;

export interface LiveDaemon {
  /** Null in a database of a version that has none. */
  name: string | null;
  host: string;
  version: string;
}

/** The daemons that run on a database, by host; none where it has no tables yet. */
export async function liveDaemons(client: pg.ClientBase): Promise<LiveDaemon[]> {
  const { rows: tables } = await client.query<{ there: number }>(
    `select to_regclass('daemons') is not null as there`,
  );
  if (!tables[0]?.there) return [];
  const { rows } = await client.query<LiveDaemon>(
    `select to_jsonb(daemons) ->> 'name' as name, host, version from daemons where seen_at >= to_char(
      (clock_timestamp() - interval '${SILENT_SECONDS} seconds') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    order by host, 1`,
  );
  return rows;
}

/** Names daemons, with the host where it is another name: "web-1 and web-2 (box)". */
export const namesOf = (daemons: readonly LiveDaemon[]): string =>
  new Intl.ListFormat('en-GB').format(
    daemons.map(({ name, host }) => (name === null || name === host ? host : `${name} (${host})`)),
  );
