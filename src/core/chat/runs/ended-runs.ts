import type { Database } from '../../storage/database.ts';

/** Forgets how far runs were that have ended: what came of them is in their task or message. */
export async function forgetEndedRuns(database: Database): Promise<void> {
  const ended = await database.read
    .selectFrom('agent_runs')
    .leftJoin('tasks', 'tasks.id', 'agent_runs.task_id')
    .select('agent_runs.id')
    .where('agent_runs.state', 'is not', null)
    .where((is) =>
      is.or([
        is('tasks.status', 'in', ['completed', 'failed', 'cancelled']),
        is.and([
          is('agent_runs.kind', '=', 'message'),
          is('agent_runs.status', 'in', ['completed', 'failed', 'cancelled']),
        ]),
      ]),
    )
    .limit(500)
    .execute();
  if (ended.length === 0) return;
  const ids = ended.map(({ id }) => id);
  await database.write(({ db }) =>
    db.updateTable('agent_runs').set({ state: null }).where('id', 'in', ids).execute(),
  );
}
