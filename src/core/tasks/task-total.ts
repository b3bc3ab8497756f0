import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../storage/database.ts';
import { allOf, type TaskFilter } from './task-filters.ts';
import {
  countMatches,
  during,
  findMatches,
  type ReadSizes,
  type TaskPlan,
  type TaskTotal,
} from './task-plan.ts';
import type { TaskPage } from './task-page.ts';

/** How many tasks the list has; of many, only so many are read as take a few milliseconds. */
export async function countTasks(
  database: Database,
  plan: TaskPlan,
  { sortBy }: Pick<TaskPage, 'sortBy'>,
  { indexed, counted, examined }: ReadSizes,
): Promise<TaskTotal> {
  const { longRead } = database;
  if (plan.by === 'nothing') return { total: 0 };
  if (plan.total) return plan.total;
  const isEnding = sortBy === 'completedAt';
  const only = onlyFilter(plan);
  const found = foundByIndex(plan, only, isEnding);
  const upTo = async (rows: RawBuilder<unknown>, most = counted): Promise<TaskTotal> => {
    const [row] = (
      await sql<{ n: number }>`select count(*) as n from (${rows} limit ${most + 1}) as found`.execute(
        longRead,
      )
    ).rows;
    const n = row?.n ?? 0;
    return n > most ? { total: most, isLowerBound: true } : { total: n };
  };
  if (only?.matching && found) return upToMatches(database, only, counted);
  if (found) return upTo(found, indexed);
  const ending = isEnding ? [sql<SqlBool>`tasks.completed_at is not null`] : [];
  const tests = [...plan.tests.map(({ test }) => test), ...ending, sql<SqlBool>`true`];
  if (plan.by === 'few' && tests.length === 1) return upTo(plan.seqs);
  if (plan.by === 'few')
    return upTo(sql`select 1 from tasks where tasks.seq in (${plan.seqs}) and ${allOf(tests)}`);
  if (plan.by === 'directory')
    return upTo(sql`select 1 from tasks where ${plan.directory} and ${allOf(tests)}`);
  const { from, where, isMatch, isCut } =
    plan.by === 'order'
      ? examinedOf(plan, ending)
      : { ...(await firstMatches(database, plan, examined)), isMatch: allOf(tests) };
  const { rows } = await sql<{ n: number; read: number }>`
    select count(*) as read, count(*) filter (where is_match) as n
    from (select ${isMatch} as is_match from ${from} where ${where} limit ${examined + 1}) as examined`.execute(
    plan.db,
  );
  const { n = 0, read = 0 } = rows[0] ?? {};
  return isCut || read > examined ? { total: n, isLowerBound: true } : { total: n };
}

async function upToMatches(database: Database, text: TaskFilter, most: number): Promise<TaskTotal> {
  const n = (await countMatches(database, text, most)) ?? 0;
  return n > most ? { total: most, isLowerBound: true } : { total: n };
}

/** The first matches of a text, whose tasks are tested. */
async function firstMatches(
  database: Database,
  { text, matches }: Extract<TaskPlan, { by: 'text' }>,
  examined: number,
) {
  const found = matches.isWhole ? matches : await findMatches(database, text, 'desc', examined);
  const { seqs = [], isWhole = true } = found ?? {};
  const where = sql`tasks.seq in (${database.engine.numbers(seqs.slice(0, examined))})`;
  return { from: sql`tasks`, where, isCut: !isWhole || seqs.length > examined };
}

/** Tasks of one of the filters that have an index in the order of creation, whatever the order of the list is, and the others. */
function examinedOf(
  { walk: inOrder, walked, tests, span }: Extract<TaskPlan, { by: 'order' }>,
  ending: RawBuilder<SqlBool>[],
) {
  const taken = walked ?? tests.find((filter) => filter.walk);
  const { walk = inOrder } = taken ?? {};
  const others = tests.filter((filter) => filter !== taken);
  const isAlone = ending.length === 0 && others.every(({ testAt }) => testAt);
  const alone = isAlone ? walk.alone : undefined;
  const each = others.map(({ test, testAt }) => (alone && testAt ? testAt(walk) : test));
  return {
    from: alone ?? walk.from,
    where: allOf([walk.where, ...(span ? [during(span, walk.createdAt)] : [])]),
    isMatch: allOf([...each, ...ending, sql`true`]),
    isCut: false,
  };
}

/** The tasks of a list with no more than one filter, where an index has them. */
function foundByIndex(
  plan: Exclude<TaskPlan, { by: 'nothing' }>,
  only: TaskFilter | undefined,
  isEnding: boolean,
): RawBuilder<unknown> | undefined {
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
