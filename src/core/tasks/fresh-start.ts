import type { WriteTransaction } from '../storage/database.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';

/**
 * Makes a task that is bound to a host start over on any: its worktree, its sessions and the state of its run there count
 * no more. What is in the worktree stays on that host.
 */
export async function leaveHome({ db }: WriteTransaction, { id }: Pick<TaskHead, 'id'>): Promise<void> {
  await db.deleteFrom('worktrees').where('task_id', '=', id).execute();
  await db.deleteFrom('task_sessions').where('task_id', '=', id).execute();
  await db.updateTable('agent_runs').set({ state: null }).where('task_id', '=', id).execute();
  await db.updateTable('tasks').set({ home: null }).where('id', '=', id).execute();
}
