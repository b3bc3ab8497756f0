import type { Database } from '../../storage/database.ts';

/** Whether messages with tools wait for a decision, or were being answered when the daemon ended. */
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
