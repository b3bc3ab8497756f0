import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import { allOf } from './task-filters.ts';
import { findMatches, type ReadSizes, type TaskPlan, type TextMatches } from './task-plan.ts';
import type { ListedRow, TaskPage } from './task-page.ts';

/** Tasks that are created at the same moment can have numbers in another order, about so far apart. */
const NEAR = 1000;

/**
 * A page of the many matches of a text, by creation. Numbers of tasks grow with the time of their creation, except for
 * imported tasks and those of one moment: the first matches have the page unless such a task lies outside of them, or the
 * other filters leave too few. Undefined then: the page has to be found another way.
 */
export async function pageOfText(
  database: Database,
  sizes: ReadSizes,
  plan: Extract<TaskPlan, { by: 'text' }>,
  page: TaskPage,
  read: (seqs: RawBuilder<unknown>) => Promise<ListedRow[]>,
): Promise<ListedRow[] | undefined> {
  const { sortOrder: order, limit, after } = page;
  const [createdAt, seq] = after ?? [];
  const from = seq === undefined ? undefined : Number(seq) + (order === 'desc' ? NEAR : -NEAR);
  const behind = from === undefined ? 0 : NEAR;
  const { text } = plan;
  /** The page if these matches have it; `incomplete` if a task outside of them belongs to it. */
  const pageOf = async ({ seqs, isWhole }: TextMatches, isFromStart: boolean) => {
    const rows = await read(database.engine.numbers(seqs));
    if (rows.length < limit && !isWhole) return undefined;
    const isComplete = await hasAll(database, order, {
      numbers: { from: isFromStart ? undefined : from, to: isWhole ? undefined : seqs.at(-1) },
      times: { from: createdAt, to: rows.length === limit ? rows.at(-1)?.created_at : undefined },
    });
    return isComplete ? rows : ('incomplete' as const);
  };
  const isKnown = from === undefined || plan.matches.isWhole;
  const first = isKnown ? plan.matches : await findMatches(database, text, order, sizes.page + behind, from);
  if (!first) return undefined;
  let rows = await pageOf(first, isKnown);
  if (!rows && !first.isWhole) {
    const others = await findMatches(database, text, order, sizes.matches, from);
    const seqs = others?.seqs.slice(0, sizes.few + behind) ?? [];
    const isAll = seqs.length === others?.seqs.length;
    rows = await pageOf({ seqs, isWhole: isAll && others.isWhole }, false);
    // Of words that most tasks have, more matches help less than the other filters do.
    if (others?.isWhole) rows ??= await pageOf(others, false);
  }
  return rows === 'incomplete' ? undefined : rows;
}

interface Range<T> {
  from: T | undefined;
  to: T | undefined;
}

/** Whether all tasks of these times have these numbers; both ranges run in the direction of the list. */
async function hasAll(
  { longRead }: Database,
  order: TaskPage['sortOrder'],
  { numbers, times }: { numbers: Range<number>; times: Range<string | number | null> },
): Promise<boolean> {
  const [before, beyond] = order === 'desc' ? [sql`>`, sql`<`] : [sql`<`, sql`>`];
  const outside = [
    ...(numbers.from === undefined ? [] : [sql`seq ${before} ${numbers.from}`]),
    ...(numbers.to === undefined ? [] : [sql`seq ${beyond} ${numbers.to}`]),
  ];
  if (outside.length === 0) return true;
  const during = [
    ...(times.from === undefined ? [] : [sql`created_at ${beyond}= ${times.from}`]),
    ...(times.to === undefined ? [] : [sql`created_at ${before}= ${times.to}`]),
  ];
  const conditions = allOf([...during, sql`(${sql.join(outside, sql` or `)})`]);
  const { rows } = await sql`select 1 from tasks where ${conditions} limit 1`.execute(longRead);
  return rows.length === 0;
}
