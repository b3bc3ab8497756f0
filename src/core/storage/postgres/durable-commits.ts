import type pg from 'pg';
import { AppError } from '../../errors.ts';

/** Throws `configuration` where the server answers a commit before it is on a disk. */
export async function requireDurableCommits(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ database: string }>(
    `select quote_ident(current_database()) as database where current_setting('synchronous_commit') = 'off'`,
  );
  const [found] = rows;
  if (found)
    throw new AppError(
      'configuration',
      `PostgreSQL confirms commits before they are on its disk (synchronous_commit is off), so a crash would lose tasks that svc has acknowledged. Turn it on: ALTER DATABASE ${found.database} SET synchronous_commit = on`,
    );
}
