import type pg from 'pg';
import { AppError } from '../../errors.ts';

/**
 * Throws `configuration` where the server answers a commit before it has given it to its system, which any crash of it
 * loses; warns where it does not wait for the disk, which a crash of the machine loses, and is common where things are only
 * tried out.
 */
export async function requireDurableCommits(
  client: pg.ClientBase,
  warn: (message: string) => void = () => undefined,
): Promise<void> {
  const { rows } = await client.query<{ database: string }>(
    `select quote_ident(current_database()) as database where current_setting('synchronous_commit') = 'off'`,
  );
  const [found] = rows;
  if (found)
    throw new AppError(
      'configuration',
      `PostgreSQL confirms commits before they are on its disk (synchronous_commit is off), so a crash would lose tasks that svc has acknowledged. Turn it on: ALTER DATABASE ${found.database} SET synchronous_commit = on`,
    );
  const { rows: unsafe } = await client.query(
    `select from pg_settings where name = 'fsync' and setting = 'off'`,
  );
  if (unsafe.length > 0)
    warn(
      'PostgreSQL does not wait for its disk (fsync is off): when its machine crashes, tasks that svc has acknowledged are lost, and the database may be damaged. Turn it on: ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()',
    );
}
