import type { Kysely } from 'kysely';
import type { TaskSessionRow } from '../storage/rows/agent-sessions.ts';
import type { Schema } from '../storage/schema.ts';

/** More tasks in a row than people continue. */
const MAX_CHAIN = 200;

/** The session of an agent in which a task was worked on, or one that it continues; a task that never ran has none. */
export async function inheritedSession(
  db: Kysely<Schema>,
  taskId: string,
  agent: string,
): Promise<TaskSessionRow | undefined> {
  let id: string | null | undefined = taskId;
  for (let count = 0; id && count < MAX_CHAIN; count++) {
    const session = await db
      .selectFrom('task_sessions')
      .selectAll()
      .where('task_id', '=', id)
      .where('agent', '=', agent)
      .executeTakeFirst();
    if (session) return session;
    const task: { continues: string | null } | undefined = await db
      .selectFrom('tasks')
      .select('continues')
      .where('id', '=', id)
      .executeTakeFirst();
    id = task?.continues;
  }
  return undefined;
}
