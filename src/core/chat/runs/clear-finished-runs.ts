import type { Database } from '../../storage/database.ts';

/** Deletes the saved state of finished runs; the outcome is stored in their task or message. */
export async function clearFinishedRuns(database: Database): Promise<void> {
  const finished = await database.read
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
  if (finished.length === 0) return;
  const ids = finished.map(({ id }) => id);
  await database.write(({ db }) =>
    db.updateTable('agent_runs').set({ state: null }).where('id', 'in', ids).execute(),
  );
}
