import type { Database } from '../../storage/database.ts';

/** The statuses of a message with tools that is not finished: see `AgentRunRow`. */
export const openStatuses = ['attached', 'waiting', 'running'] as const;

/** Whether a daemon that is gone has left a message with tools. */
export async function hasLeftMessages({ read }: Database, present: readonly string[]): Promise<boolean> {
  const row = await read
    .selectFrom('agent_runs')
    .select('id')
    .where('kind', '=', 'message')
    .where('status', 'in', openStatuses)
    .where('daemon', 'not in', present)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

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
