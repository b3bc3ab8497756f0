import type { CurrentRun } from '../../contract/conversations.ts';
import type { Database } from '../storage/database.ts';

/** The turn of a conversation that is not finished; undefined where there is none. */
export async function currentRunOf(
  { read }: Pick<Database, 'read'>,
  conversationId: string,
): Promise<CurrentRun | undefined> {
  const row = await read
    .selectFrom('agent_runs')
    .leftJoin('tasks', 'tasks.id', 'agent_runs.task_id')
    .select(['agent_runs.id', 'kind', 'agent_runs.status', 'agent_runs.created_at', 'agent_runs.task_id'])
    .select('tasks.status as task_status')
    .where('conversation_id', '=', conversationId)
    .where((is) =>
      is.or([
        is.and([
          is('kind', '=', 'message'),
          is('agent_runs.status', 'in', ['attached', 'waiting', 'running']),
        ]),
        is.and([is('kind', '=', 'agentic'), is('tasks.status', 'in', ['pending', 'queued', 'in_progress'])]),
      ]),
    )
    // The oldest one works; agentic ones after it wait for it.
    .orderBy('agent_runs.created_at')
    .limit(1)
    .executeTakeFirst();
  if (!row) return undefined;
  const started = { id: row.id, startedAt: row.created_at };
  if (row.kind === 'message')
    return { ...started, kind: 'message', status: row.status === 'waiting' ? 'waiting' : 'running' };
  return {
    ...started,
    kind: 'agentic',
    status: row.task_status === 'in_progress' ? 'running' : 'queued',
    ...(row.task_id !== null && { taskId: row.task_id }),
  };
}
