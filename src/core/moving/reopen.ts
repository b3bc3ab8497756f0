import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Locations } from '../../contract/locations.ts';
import { lockDataDirectory } from '../storage/data-lock.ts';
import { MOVED_TO } from '../storage/moved-mark.ts';
import type { PostgresServer } from '../storage/postgres/connection-options.ts';
import { onPostgres } from '../storage/postgres/start-postgres.ts';

const removeMark = 'delete from state where key = ';

/** Takes the mark of a copy from the database of this home; false where there is none. */
export async function reopenSqlite({ data, databaseFile }: Locations): Promise<boolean> {
  if (!existsSync(databaseFile)) return false;
  const lock = await lockDataDirectory(join(data, 'daemon.lock'), databaseFile);
  try {
    const native = new DatabaseSync(databaseFile);
    try {
      return Number(native.prepare(`${removeMark}?`).run(MOVED_TO).changes) > 0;
    } finally {
      native.close();
    }
  } finally {
    lock.release();
  }
}

/** The same for a PostgreSQL database. */
export const reopenPostgres = (server: PostgresServer): Promise<boolean> =>
  onPostgres(server, 'svc-copy', async (client) => {
    const { rowCount } = await client.query(`${removeMark}$1`, [MOVED_TO]);
    return (rowCount ?? 0) > 0;
  });
