import type { IdDirectories } from '../paths/id-directories.ts';
import type { Database } from '../storage/database.ts';
import { isTerminal } from '../tasks/task-states.ts';
import { isTaskNeeded } from '../tasks/task-ties.ts';
import type { RetentionRule } from './retention-rule.ts';

/** Directories per call; each may contain many files. */
const MAX_REMOVED = 100;

/**
 * Removes directories that svc created for tasks that finished long ago, or for deleted tasks and conversations. A
 * directory that a task names in `cwd` is never removed.
 */
export const directoryRule = (
  { read }: Database,
  directories: Pick<IdDirectories, 'list' | 'remove' | 'changedAt'>,
  naming: Pick<RetentionRule, 'name' | 'setting'>,
): RetentionRule => {
  // A restored or new database does not know the directories of other tasks, so their age decides.
  const isAbandoned = async (id: string, before: string) =>
    ((await directories.changedAt(id))?.toISOString() ?? '9') < before;
  const isOld = async (id: string, before: string): Promise<boolean> => {
    if (id.startsWith('conv_')) {
      const query = read.selectFrom('conversations').select('id').where('id', '=', id);
      return (await query.executeTakeFirst()) === undefined && isAbandoned(id, before);
    }
    // Not created by svc.
    if (!id.startsWith('task_')) return false;
    const task = await read
      .selectFrom('tasks')
      .select(['status', 'completed_at', isTaskNeeded.as('needed')])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!task) return isAbandoned(id, before);
    // A failed task continues in its workspace if its dead letter is retried.
    return isTerminal(task.status) && !task.needed && (task.completed_at ?? '9') < before;
  };
  const old = async function* (before: string) {
    for await (const id of directories.list()) if (await isOld(id, before)) yield id;
  };
  return {
    ...naming,
    isLocal: true,
    async count(before) {
      let n = 0;
      for await (const _ of old(before)) n++;
      return n;
    },
    async remove(before) {
      let taken = 0;
      for await (const id of old(before)) {
        if (taken === MAX_REMOVED) return { taken, hasMore: true };
        await directories.remove(id);
        taken++;
      }
      return { taken, hasMore: false };
    },
  };
};
