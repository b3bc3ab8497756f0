import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import { allOf, type TaskFilter } from './task-filters.ts';
import type { ReadSizes, TaskPlan } from './task-plan.ts';
import type { TaskPage } from './task-page.ts';

export interface TaskTotal {
  total: number;
  /** Set where there may be more. */
  isLowerBound?: true;
}

/** How many tasks the list has; of many, only so many are read as take a few milliseconds. */
export async function countTasks(
  { engine, longRead }: Pick<Database, 'engine' | 'longRead'>,
  plan: TaskPlan,
  { sortBy }: Pick<TaskPage, 'sortBy'>,
  { indexed, counted, examined }: ReadSizes,
): Promise<TaskTotal> {
  if (plan.by === 'nothing') return { total: 0 };
  const isEnding = sortBy === 'completedAt';
  const found = foundByIndex(plan, isEnding);
  const upTo = async (rows: RawBuilder<unknown>, most = counted): Promise<TaskTotal> => {
    const [row] = (
      await sql<{ n: number }>`select count(*) as n from (${rows} limit ${most + 1}) as found`.execute(
        longRead,
      )
    ).rows;
    const n = row?.n ?? 0;
    return n > most ? { total: most, isLowerBound: true } : { total: n };
  };
  if (found) return upTo(found, plan.by === 'text' ? counted : indexed);
  const tests = [
    ...plan.tests.map(({ test }) => test),
    ...(isEnding ? [sql`tasks.completed_at is not null`] : []),
    sql`true`,
  ];
  if (plan.by === 'few')
    return upTo(sql`select 1 from tasks where tasks.seq in (${plan.seqs}) and ${allOf(tests)}`);
  if (plan.by === 'directory')
    return upTo(sql`select 1 from tasks where ${plan.directory} and ${allOf(tests)}`);
  const [from, where, isCut] =
    plan.by === 'text'
      ? [
          sql`tasks`,
          sql`tasks.seq in (${engine.numbers(plan.matches.seqs.slice(0, examined))})`,
          !plan.matches.isWhole || plan.matches.seqs.length > examined,
        ]
      : [plan.walk.from, plan.walk.where, false];
  const { rows } = await sql<{ n: number; read: number }>`
    select count(*) as read, count(*) filter (where is_match) as n
    from (select ${allOf(tests)} as is_match from ${from} where ${where} limit ${examined + 1}) as examined`.execute(
    plan.db,
  );
  const { n = 0, read = 0 } = rows[0] ?? {};
  return isCut || read > examined ? { total: n, isLowerBound: true } : { total: n };
}

/** The tasks of a list with no more than one filter, where an index has them. */
function foundByIndex(
  plan: Exclude<TaskPlan, { by: 'nothing' }>,
  isEnding: boolean,
): RawBuilder<unknown> | undefined {
  const only = onlyFilter(plan);
  // A task that ended at some time has ended.
  if (!isEnding || only?.name === 'completedAfter') return only?.found;
  const isWhole = plan.by === 'order' && !plan.walked && plan.tests.length === 0;
  return isWhole ? sql`select seq from tasks where completed_at is not null` : undefined;
}

/** The filter of a list that has no other. */
function onlyFilter(plan: Exclude<TaskPlan, { by: 'nothing' }>): TaskFilter | undefined {
  const taken = plan.by === 'order' ? plan.walked : plan.by === 'text' ? plan.text : undefined;
  if (taken) return plan.tests.length === 0 ? taken : undefined;
  return plan.by === 'order' && plan.tests.length === 1 ? plan.tests[0] : undefined;
}
