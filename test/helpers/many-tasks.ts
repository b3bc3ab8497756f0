import { sql } from 'kysely';
import type { App } from '../../src/core/app.ts';
import { ownerId } from '../../src/core/auth/owner.ts';

/**
 * Adds finished tasks of the owner in one statement, as a year would: "Task 1" is the oldest, each a second apart. Their
 * numbers in the database are negative, because the daemon counts on with its own.
 */
export async function addManyTasks({ app }: { app: Pick<App, 'database'> }, count: number): Promise<void> {
  await app.database.write(async ({ db }) => {
    await sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
      insert into tasks (seq, id, owner_id, title, status, priority, source, labels, agent_type, max_attempts,
        created_at, updated_at, started_at, completed_at)
      select n - 10000000, printf('task_%08d', n), ${ownerId}, printf('Task %d', n), 'completed', 3, 'api', '["many"]', 'noop', 3,
        at, at, at, at
      from (select n, strftime('%Y-%m-%dT%H:%M:%fZ', unixepoch('2026-01-01') + n, 'unixepoch') as at from numbers)`.execute(
      db,
    );
    await sql`insert into task_counts (owner_id, status, priority, source, agent, n, duration)
      values (${ownerId}, 'completed', 3, 'api', 'noop', ${count}, 0)`.execute(db);
  });
}
