import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import {
  allByCreation,
  allOf,
  type TaskConditions,
  type TaskFilter,
  taskFilters,
  type Walk,
} from './task-filters.ts';
import type { TaskPage } from './task-page.ts';

/** Numbers of tasks that decide how a list is read. */
export interface ReadSizes {
  /** So many are read and sorted in a few milliseconds. */
  few: number;
  /** So many of a directory are sorted from their index. */
  directory: number;
  /** So many matches of a text have a page of it, if there is no other filter. */
  page: number;
  /** So many matches of a text are looked at before the text is one filter among others. */
  matches: number;
  /** The tasks of one filter are counted in its index up to here, which takes about 5 ms. */
  indexed: number;
  /** Others are counted up to here. */
  counted: number;
  /** So many in the order of the list are looked at before all tasks of a filter are read and sorted. */
  ahead: number;
  /** So many are tested to count those that match; no fewer than `few`, of which all are. */
  examined: number;
}

export const readSizes: ReadSizes = {
  few: 2000,
  directory: 20_000,
  page: 500,
  matches: 20_000,
  indexed: 50_000,
  counted: 10_000,
  ahead: 10_000,
  examined: 2000,
};

/** Skipping more tasks than this takes noticeable time. */
export const LONG_OFFSET = 1000;

/** What the index of directories has. */
const inDirectoryIndex: ReadonlySet<string> = new Set(['cwd', 'ownerId', 'createdAfter']);

export interface TaskTotal {
  total: number;
  /** Set where there may be more. */
  isLowerBound?: true;
}

/** The times between which all tasks of a list were created; both may be among them. */
export interface Span {
  first: string;
  last: string;
}

/** The first and the last number of tasks; tasks are numbered about in the order of their creation. */
interface Numbers {
  least: number;
  most: number;
}

/** Whether a task with this time of creation is in the span. */
export const during = ({ first, last }: Span, createdAt: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql`(${createdAt} >= ${first} and ${createdAt} <= ${last})`;

interface Rest {
  /** Filters that each task is tested by. */
  tests: TaskFilter[];
  span?: Span | undefined;
  /** The numbers that tasks of the span have, where passing over others is faster than testing them. */
  numbers?: Numbers | undefined;
  /** How many tasks the list has, where that is known already. */
  total?: TaskTotal | undefined;
  /** The connection that reads: long reads do not use the event loop. */
  db: Kysely<Schema>;
  isLong: boolean;
}

/** The matches of a text by number, in the direction of the list; all of them where `isWhole`. */
export interface TextMatches {
  seqs: number[];
  isWhole: boolean;
}

/** How the tasks of a list are found. */
export type TaskPlan =
  /** A filter has no tasks. */
  | { by: 'nothing' }
  /** The few tasks of one filter are all tested and sorted. */
  | ({ by: 'few'; seqs: RawBuilder<unknown> } & Rest)
  /** Tasks are read in the order of the list until the page is full, all of them or only the first before what is done instead. */
  | ({ by: 'order'; walk: Walk; walked?: TaskFilter | undefined; instead?: TaskPlan } & Rest)
  /** The tasks of a directory are sorted from their index, which has all that the list needs. */
  | ({ by: 'directory'; directory: RawBuilder<SqlBool> } & Rest)
  /** The newest or oldest of many matches of a text are read first. */
  | ({ by: 'text'; text: TaskFilter; matches: TextMatches } & Rest);

/** Chooses how to find the tasks; looks at no more than a few of each filter. */
export async function planTasks(
  database: Database,
  conditions: TaskConditions,
  { sortBy, sortOrder, offset = 0 }: Pick<TaskPage, 'sortBy' | 'sortOrder' | 'offset'>,
  sizes: ReadSizes,
): Promise<TaskPlan> {
  const filters = taskFilters(conditions, database.engine);
  const isByCreation = sortBy === 'createdAt';
  const [only, ...others] = filters;
  const isShort =
    offset <= LONG_OFFSET && others.length === 0 && (!only || (isByCreation && only.walk !== undefined));
  if (isShort) {
    const { walk = allByCreation } = only ?? {};
    return { by: 'order', walk, walked: only, tests: [], db: database.read, isLong: false };
  }
  const long = { db: database.longRead, isLong: true };
  const text = filters.find(({ slice }) => slice !== undefined);
  const [{ counts, span }, matches, matching] = await Promise.all([
    look(database, filters, sizes),
    text && isByCreation ? findMatches(database, text, sortOrder, sizes.page) : undefined,
    text && !isByCreation ? countMatches(database, text, sizes.matches) : undefined,
  ]);
  if (span && (span.first > span.last || !reaches(span, conditions))) return { by: 'nothing' };
  if (text) counts.set(text, (matches?.isWhole === true ? matches.seqs.length : matching) ?? Infinity);
  const rest = { ...long, span };
  const [[fewest, least] = [undefined, 0]] = [...counts].toSorted(([, a], [, b]) => a - b);
  if (!fewest) return inOrder(filters, isByCreation, rest);
  if (least === 0) return { by: 'nothing' };
  const without = (taken: TaskFilter) => filters.filter((filter) => filter !== taken);
  const isAll = others.length === 0 && sortBy !== 'completedAt';
  const totalOf = (filter: TaskFilter) => (isAll ? { total: counts.get(filter) ?? 0 } : undefined);
  const found = (taken: TaskFilter): TaskPlan => {
    const seqs = taken === text && matches ? database.engine.numbers(matches.seqs) : undefined;
    return { by: 'few', ...narrowed(taken, without(taken), seqs), ...rest, total: totalOf(taken) };
  };
  // What has an index of its own in the order of the list is not read to its end.
  if (least <= sizes.few && isByCreation && fewest.walk?.alone)
    return { by: 'order', walk: fewest.walk, walked: fewest, tests: without(fewest), ...rest };
  if (least <= sizes.few) return found(fewest);
  const directory = filters.find(({ name }) => name === 'cwd');
  const isInIndex = isByCreation && filters.every(({ name }) => inDirectoryIndex.has(name));
  if (directory?.is && isInIndex && (counts.get(directory) ?? 0) <= sizes.directory)
    return { by: 'directory', directory: directory.is, tests: without(directory), ...rest };
  if (text && matches) return { by: 'text', text, matches, tests: without(text), ...rest };
  const walking = inOrder(filters, isByCreation, rest);
  const isOfSome = (filter: TaskFilter, most: number) => (counts.get(filter) ?? 0) <= most;
  const some = [directory, text].find(
    (filter) => filter && isOfSome(filter, filter === text ? sizes.matches : sizes.directory),
  );
  if (some) return { ...walking, instead: found(some), total: totalOf(some) };
  const most = only === text ? sizes.matches : only === directory ? sizes.directory : undefined;
  const hasMore = isAll && most !== undefined ? ({ total: most, isLowerBound: true } as const) : undefined;
  const isByTime = sortBy === 'updatedAt' || sortBy === 'completedAt';
  const numbers = span && isByTime ? await numbersOf(database, span, sortOrder, sizes.ahead) : undefined;
  return { ...walking, total: hasMore, numbers };
}

/** The tasks of a filter, without those that other filters exclude by what its index has. */
function narrowed(
  { found, walk }: TaskFilter,
  others: TaskFilter[],
  seqs: RawBuilder<unknown> = found,
): { seqs: RawBuilder<unknown>; tests: TaskFilter[] } {
  if (!walk?.alone) return { seqs, tests: others };
  const where = others.flatMap(({ testAt }) => testAt?.(walk) ?? []);
  return {
    seqs: sql`select ${walk.seq} from ${walk.alone} where ${allOf([walk.where, ...where])}`,
    tests: others.filter(({ testAt }) => !testAt),
  };
}

/**
 * The numbers of the tasks that were created in a span, if many were created beyond it in the direction of the list. Those
 * come first in an order by another time too, and its index has no more of a task than that time and the number.
 */
async function numbersOf(
  { longRead }: Database,
  span: Span,
  order: TaskPage['sortOrder'],
  many: number,
): Promise<Numbers | undefined> {
  const beyond = order === 'desc' ? sql`created_at > ${span.last}` : sql`created_at < ${span.first}`;
  const { rows: passed } = await sql`select 1 from tasks where ${beyond} limit 1 offset ${many}`.execute(
    longRead,
  );
  if (passed.length === 0) return undefined;
  // `+ 0`: PostgreSQL would look for the first number among all tasks.
  const { rows } = await sql<{ least: number | null; most: number | null }>`
    select min(seq + 0) as least, max(seq + 0) as most from tasks
    where ${during(span, sql.ref('created_at'))}`.execute(longRead);
  const { least, most } = rows[0] ?? {};
  return typeof least === 'number' && typeof most === 'number' ? { least, most } : undefined;
}

/** The plan that needs no knowledge of the tasks: reads them in the order of the list, and tests each. */
export function inOrder(
  filters: TaskFilter[],
  isByCreation: boolean,
  { db, isLong, span }: Pick<Rest, 'db' | 'isLong' | 'span'>,
): Extract<TaskPlan, { by: 'order' }> {
  const walked = isByCreation ? filters.find(({ walk }) => walk !== undefined) : undefined;
  const tests = filters.filter((filter) => filter !== walked);
  return { by: 'order', walk: walked?.walk ?? allByCreation, walked, tests, db, isLong, span };
}

/** The first matches of a text in the direction of the list, from a number on. */
export async function findMatches(
  { longRead }: Database,
  { slice }: TaskFilter,
  order: TaskPage['sortOrder'],
  most: number,
  from?: number,
): Promise<TextMatches | undefined> {
  if (!slice) return undefined;
  const { rows } = await slice({ order, from, limit: most + 1 }).execute(longRead);
  return { seqs: rows.slice(0, most).map(({ seq }) => seq), isWhole: rows.length <= most };
}

/** How many matches a text has; where it has more than `most`, that is all that the number says. */
export async function countMatches(
  { longRead }: Database,
  { matching }: TaskFilter,
  most: number,
): Promise<number | undefined> {
  return matching && (await matching(most).execute(longRead)).rows[0]?.n;
}

/** How many tasks each filter but a text has, as far as they are few, and between which times those of all lie. */
async function look(
  { longRead }: Database,
  filters: TaskFilter[],
  { few, directory }: ReadSizes,
): Promise<{ counts: Map<TaskFilter, number>; span: Span | undefined }> {
  const counted = filters.filter(({ slice }) => slice === undefined);
  if (counted.length === 0) return { counts: new Map(), span: undefined };
  const list = counted.flatMap(({ found, name, end }, index) => {
    const limit = (name === 'cwd' ? directory : few) + 1;
    return [
      sql`(select count(*) from (${found} limit ${limit}) as found) as ${sql.ref(`n${index}`)}`,
      ...(end
        ? [sql`${end('asc')} as ${sql.ref(`first${index}`)}, ${end('desc')} as ${sql.ref(`last${index}`)}`]
        : []),
    ];
  });
  const { rows } = await sql<Record<string, number | string | null>>`select ${sql.join(list)}`.execute(
    longRead,
  );
  const row = rows[0] ?? {};
  const counts = new Map(counted.map((filter, index) => [filter, Number(row[`n${index}`] ?? 0)]));
  const times = (end: 'first' | 'last') =>
    counted
      .flatMap((_, index) => row[`${end}${index}`] ?? [])
      .map(String)
      .toSorted();
  const [first, last] = [times('first').at(-1), times('last')[0]];
  return { counts, span: first === undefined || last === undefined ? undefined : { first, last } };
}

/** Whether a task of the span can have been created at the times of the conditions. */
const reaches = ({ first, last }: Span, { createdAfter, createdBefore }: TaskConditions): boolean =>
  (createdAfter === undefined || last >= createdAfter) &&
  (createdBefore === undefined || first < createdBefore);
