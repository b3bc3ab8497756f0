import type { Database } from '../../storage/database.ts';

/** Whether any message with tools waits for a decision or was interrupted by the end of the daemon. */
export async function hasOpenMessages({ read }: Database): Promise<boolean> {
  const row = await read
    .selectFrom('agent_runs')
    .select('id')
    .where('kind', '=', 'message')
    .where('status', 'in', ['waiting', 'running'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
