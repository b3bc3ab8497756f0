import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import {
  allByCreation,
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
  /** So many matches of a text are looked at before the text is one filter among others. */
  matches: number;
  /** The tasks of one filter are counted in its index up to here, which takes about 20 ms. */
  indexed: number;
  /** Others are counted up to here. */
  counted: number;
  /** So many are tested to count those that match. */
  examined: number;
}

export const readSizes: ReadSizes = {
  few: 2000,
  directory: 20_000,
  matches: 10_000,
  indexed: 250_000,
  counted: 10_000,
  examined: 5000,
};

/** Skipping more tasks than this takes noticeable time. */
const LONG_OFFSET = 1000;

/** What the index of directories has. */
const inDirectoryIndex: ReadonlySet<string> = new Set(['cwd', 'ownerId', 'createdAfter']);

interface Rest {
  /** Filters that each task is tested by. */
  tests: TaskFilter[];
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
  /** Tasks are read in the order of the list until the page is full. */
  | ({ by: 'order'; walk: Walk; walked?: TaskFilter | undefined } & Rest)
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
  const rest = { db: database.longRead, isLong: true };
  const text = filters.find(({ slice }) => slice !== undefined);
  const [counts, matches] = await Promise.all([
    countSome(database, filters, sizes),
    text && findMatches(database, text, sortOrder, sizes.matches),
  ]);
  if (text && matches) counts.set(text, matches.seqs.length);
  const [[fewest, least] = [undefined, 0]] = [...counts].toSorted(([, a], [, b]) => a - b);
  if (!fewest) return inOrder(filters, isByCreation, rest);
  if (least === 0) return { by: 'nothing' };
  const without = (taken: TaskFilter) => filters.filter((filter) => filter !== taken);
  const found = (taken: TaskFilter): TaskPlan => ({
    by: 'few',
    seqs: taken === text && matches ? database.engine.numbers(matches.seqs) : taken.found,
    tests: without(taken),
    ...rest,
  });
  if (least <= sizes.few) return found(fewest);
  const directory = filters.find(({ name }) => name === 'cwd');
  const isInIndex = isByCreation && filters.every(({ name }) => inDirectoryIndex.has(name));
  if (directory?.is && isInIndex && (counts.get(directory) ?? 0) <= sizes.directory)
    return { by: 'directory', directory: directory.is, tests: without(directory), ...rest };
  if (!text || !matches) return inOrder(filters, isByCreation, rest);
  if (isByCreation) return { by: 'text', text, matches, tests: without(text), ...rest };
  return matches.isWhole ? found(text) : inOrder(filters, isByCreation, rest);
}

/** The plan that needs no knowledge of the tasks: reads them in the order of the list, and tests each. */
export function inOrder(
  filters: TaskFilter[],
  isByCreation: boolean,
  { db, isLong }: Pick<Rest, 'db' | 'isLong'>,
): TaskPlan {
  const walked = isByCreation ? filters.find(({ walk }) => walk !== undefined) : undefined;
  const tests = filters.filter((filter) => filter !== walked);
  return { by: 'order', walk: walked?.walk ?? allByCreation, walked, tests, db, isLong };
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

/** How many tasks each filter but a text has, as far as they are few. */
async function countSome(
  { longRead }: Database,
  filters: TaskFilter[],
  { few, directory }: ReadSizes,
): Promise<Map<TaskFilter, number>> {
  const counted = filters.filter(({ slice }) => slice === undefined);
  if (counted.length === 0) return new Map();
  const list = counted.map(({ found, name }, index) => {
    const limit = (name === 'cwd' ? directory : few) + 1;
    return sql`(select count(*) from (${found} limit ${limit}) as found) as ${sql.ref(`n${index}`)}`;
  });
  const { rows } = await sql<Record<string, number>>`select ${sql.join(list)}`.execute(longRead);
  return new Map(counted.map((filter, index) => [filter, rows[0]?.[`n${index}`] ?? 0]));
}
