import { setImmediate as breathe } from 'node:timers/promises';
import { sql, type SqlBool } from 'kysely';
import type { Database } from '../storage/database.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import { readState, writeState } from '../storage/state.ts';
import { headColumns } from '../tasks/task-columns.ts';
import type { TaskRemoval } from '../tasks/task-removal.ts';
import { isTerminal } from '../tasks/task-states.ts';
import { isTaskNeeded } from '../tasks/task-ties.ts';
import type { RetentionRule } from './retention-rule.ts';

/** Tasks read per step. */
const PAGE = 100;
/** Bytes of text per transaction, because the text index must be updated for every word. */
const MAX_TEXT = 512 * 1024;
const MAX_PAGES = 100;
const EVENTS_DONE = 'task_events_removed_until';

interface Position {
  completed_at: string;
  seq: number;
}
type OldTask = TaskHead & Position & { tied: number; bytes: number };
interface TaskRuleDeps {
  database: Database;
  removal: TaskRemoval;
}

/** A page of tasks that finished before the time, oldest first; `tied` if something still needs the task. */
async function page({ read }: Database, before: string, after: Position): Promise<OldTask[]> {
  const rows = await read
    .selectFrom('tasks')
    .select(headColumns)
    .select([
      sql<number>`${isTaskNeeded}`.as('tied'),
      sql<number>`coalesce(octet_length(prompt), 0) + coalesce(octet_length(description), 0)`.as('bytes'),
    ])
    .where('completed_at', '<', before)
    // No condition on the status: SQLite would use its index, read all finished tasks and sort them.
    .where(sql<SqlBool>`(completed_at, tasks.seq) > (${after.completed_at}, ${after.seq})`)
    .orderBy('completed_at')
    .orderBy('tasks.seq')
    .limit(PAGE)
    .execute();
  return (rows as OldTask[]).map((task) => (isTerminal(task.status) ? task : { ...task, tied: 1 }));
}

async function countTasks({ read }: Database, before: string, after: Position): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from tasks
    where completed_at < ${before} and (completed_at, seq) > (${after.completed_at}, ${after.seq})
      and not ${isTaskNeeded}`.execute(read);
  return rows[0]?.n ?? 0;
}

const first: Position = { completed_at: '', seq: 0 };

/** Removes finished tasks with everything that belongs to them. */
export const taskRule = ({ database, removal }: TaskRuleDeps): RetentionRule => ({
  name: 'tasks',
  setting: 'retention.tasksDays',
  count: (before) => countTasks(database, before, first),
  async remove(before) {
    let taken = 0;
    let position = first;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const tasks = await page(database, before, position);
      position = tasks.at(-1) ?? position;
      // A page without removals does not write, so it would not yield to the event loop.
      await breathe();
      for (const part of byText(tasks.filter((task) => !task.tied))) taken += await removeTasks(part);
      await removal.removeLeftEvents();
      if (tasks.length < PAGE) return { taken, hasMore: false };
    }
    return { taken, hasMore: true };

    /** Skips tasks that were requeued or became needed since they were read. */
    function removeTasks(part: OldTask[]): Promise<number> {
      return database.write(async (transaction) => {
        const ids = part.map(({ id }) => id);
        const old = transaction.db
          .selectFrom('tasks')
          .select(['id', 'status'])
          .where('id', 'in', ids)
          .where('completed_at', '<', before)
          .where(sql<SqlBool>`not ${isTaskNeeded}`);
        const rows = await database.engine.lock(old).execute();
        const still = new Set(rows.filter(({ status }) => isTerminal(status)).map(({ id }) => id));
        await removal.remove(
          transaction,
          part.filter(({ id }) => still.has(id)),
        );
        return still.size;
      });
    }
  },
});

/** Removes the events of finished tasks. The position is stored, so that no task is read twice. */
export const taskEventRule = ({ database, removal }: TaskRuleDeps): RetentionRule => {
  const done = async (): Promise<Position> => {
    const [completed_at = '', seq = '0'] = (await readState(database.read, EVENTS_DONE))?.split(' ') ?? [];
    return { completed_at, seq: Number(seq) };
  };
  return {
    name: 'events of finished tasks',
    setting: 'retention.taskEventsDays',
    async count(before) {
      const { completed_at, seq } = await done();
      const { rows } = await sql<{ n: number }>`select count(*) as n from tasks
        join task_events on task_events.task_seq = tasks.seq
        where completed_at < ${before} and (completed_at, tasks.seq) > (${completed_at}, ${seq})
          and not ${isTaskNeeded}`.execute(database.read);
      return rows[0]?.n ?? 0;
    },
    async remove(before) {
      let taken = 0;
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const tasks = await page(database, before, await done());
        const last = tasks.at(-1);
        if (!last) return { taken, hasMore: false };
        const free = tasks.filter((task) => !task.tied).map(({ seq }) => seq);
        if (free.length > 0) {
          const removed = await removal.removeEvents(free);
          taken += removed.taken;
          if (removed.hasMore) return { taken, hasMore: true };
        }
        await database.write(({ db }) => writeState(db, EVENTS_DONE, `${last.completed_at} ${last.seq}`));
      }
      return { taken, hasMore: true };
    },
  };
};

/** Splits tasks so that each part has a bounded amount of text. */
function byText(tasks: OldTask[]): OldTask[][] {
  const parts: OldTask[][] = [];
  let room = 0;
  for (const task of tasks) {
    if (parts.length === 0 || room < task.bytes) {
      parts.push([]);
      room = MAX_TEXT;
    }
    parts.at(-1)?.push(task);
    room -= task.bytes;
  }
  return parts;
}
