import type { Database } from '../../storage/database.ts';

/** The statuses of a message with tools that is not finished: see `AgentRunRow`. */
export const openStatuses = ['attached', 'waiting', 'running'] as const;

/** Whether any message with tools waits for a decision or was interrupted by the end of the daemon. */
export async function hasOpenMessages({ read }: Database): Promise<boolean> {
  const row = await read
    .selectFrom('agent_runs')
    .select('id')
    .where('kind', '=', 'message')
    .where('status', 'in', openStatuses)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
