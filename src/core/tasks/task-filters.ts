import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { TaskStatus } from '../../contract/task.ts';
import type { FilterTasksQuery } from '../../contract/tasks.ts';
import { trimSlashes } from '../../contract/trim-slashes.ts';
import type { Engine, IndexRange, TextSlice } from '../storage/database.ts';
import { orderBy } from './task-order.ts';

/** The conditions of a list of tasks. */
export type TaskConditions = Pick<
  FilterTasksQuery,
  | 'status'
  | 'priority'
  | 'source'
  | 'sourceId'
  | 'agent'
  | 'labels'
  | 'createdAfter'
  | 'createdBefore'
  | 'completedAfter'
  | 'completedBefore'
  | 'repository'
  | 'cwd'
  | 'q'
> & { ownerId?: string | undefined };

type Name = keyof TaskConditions;
type Condition = RawBuilder<SqlBool>;
type Direction = FilterTasksQuery['sortOrder'];

/** Tasks in the order of their creation, as one index has them. */
export interface Walk {
  from: RawBuilder<unknown>;
  /** The table of that index where it is another than that of the tasks; `createdAt` and `seq` are in it. */
  alone?: RawBuilder<unknown>;
  where: Condition;
  createdAt: RawBuilder<string>;
  seq: RawBuilder<number>;
}

/** One condition of a list, in each way in which it can be used. */
export interface TaskFilter {
  /** The parameter of the list. */
  name: Name;
  /** Finds its tasks in an index; text and labels have indexes of their own, of which only `found` knows. */
  is?: Condition;
  /** Selects the `seq` of its tasks from an index. */
  found: RawBuilder<{ seq: number }>;
  /** Tests tasks that are found another way. */
  test: Condition;
  /** The same by what an index that is walked has of the task. */
  testAt?: (task: Pick<Walk, 'createdAt' | 'seq'>) => Condition;
  /** Its tasks in the order of their creation, where an index has them. */
  walk?: Walk;
  /** When the first or the last of its tasks was created, by its index. */
  end?: (direction: Direction) => RawBuilder<string | null>;
  /** Some of its tasks, by number. */
  slice?: (slice: TextSlice) => RawBuilder<{ seq: number }>;
  /** How many tasks it has, if it is a text; where there are more than `most`, a number above it. */
  matching?: (most: number) => RawBuilder<{ n: number }>;
  /** Bounds such an order, which then begins or ends earlier. */
  bound?: (createdAt: RawBuilder<unknown>) => Condition;
}

/** All tasks in the order of their creation. */
export const allByCreation: Walk = {
  from: sql`tasks`,
  where: sql`true`,
  createdAt: sql.ref('tasks.created_at'),
  seq: sql.ref('tasks.seq'),
};

/** A column or expression of tasks with its index, and as a test that no index is used for. */
interface Subject {
  indexed: RawBuilder<unknown>;
  tested: RawBuilder<unknown>;
}

/** The filters of the conditions, the one that usually leaves the fewest tasks first. */
export function taskFilters(conditions: TaskConditions, engine: Engine): TaskFilter[] {
  const { labels = [], sourceId, repository, agent, cwd, source, priority, status, ownerId } = conditions;
  const { createdAfter, createdBefore, completedAfter, completedBefore, q } = conditions;
  const column = (name: string): Subject => ({
    indexed: sql.ref(`tasks.${name}`),
    tested: engine.withoutIndex(`tasks.${name}`),
  });
  const filters: (TaskFilter | undefined)[] = [
    ...labels.map((label) => labelFilter(label, engine)),
    sourceId === undefined
      ? undefined
      : filter('sourceId', column('source_id'), (ref) => sql`${ref} = ${sourceId}`),
    equal('repository', column('repository'), repository, engine),
    equal('agent', agentOf(engine), agent, engine),
    cwd === undefined ? undefined : filter('cwd', column('cwd'), (path) => isInDirectory(path, cwd)),
    oneOf('source', column('source'), source, engine),
    oneOf('priority', column('priority'), priority, engine),
    inStates(column('status'), status),
    equal('ownerId', column('owner_id'), ownerId, engine),
    between('createdAfter', column('created_at'), createdAfter, createdBefore),
    between('completedAfter', column('completed_at'), completedAfter, completedBefore),
    q === undefined || q.trim() === '' ? undefined : textFilter(q, engine),
  ];
  return filters.filter((found) => found !== undefined);
}

function filter(
  name: Name,
  { indexed, tested }: Subject,
  is: (subject: RawBuilder<unknown>) => Condition,
): TaskFilter {
  return { name, is: is(indexed), found: sql`select seq from tasks where ${is(indexed)}`, test: is(tested) };
}

/** A filter whose index has its tasks in the order of their creation, after what all of them have in common. */
function ordered(
  name: Name,
  subject: Subject,
  is: (subject: RawBuilder<unknown>) => Condition,
  { where, before }: IndexRange = { where: is(subject.indexed), before: [] },
): TaskFilter {
  return {
    ...filter(name, subject, is),
    walk: { ...allByCreation, where: is(subject.indexed) },
    end: (direction) => {
      const order = orderBy([...before, sql.ref('created_at'), sql.ref('seq')], direction);
      return sql`(select created_at from tasks where ${where} order by ${order} limit 1)`;
    },
  };
}

const equal = (name: Name, subject: Subject, value: unknown, engine: Engine) =>
  value === undefined
    ? undefined
    : ordered(name, subject, (ref) => sql`${ref} = ${value}`, engine.inIndex(subject.indexed, value));

function oneOf(name: Name, subject: Subject, values: readonly unknown[] | undefined, engine: Engine) {
  if (values?.length === 1) return equal(name, subject, values[0], engine);
  return values && anyOf(name, subject, values, (ref) => sql`${ref} in (${sql.join(values)})`);
}

/** The states in the text of the query, each on its own: PostgreSQL has an index per state. */
function inStates(subject: Subject, states: readonly TaskStatus[] | undefined): TaskFilter | undefined {
  const is = (state: TaskStatus) => (ref: RawBuilder<unknown>) => sql<SqlBool>`${ref} = ${sql.lit(state)}`;
  const [only, ...others] = states ?? [];
  if (only !== undefined && others.length === 0) return ordered('status', subject, is(only));
  if (!states) return undefined;
  const found = states.map((state) => sql`select seq from tasks where ${is(state)(subject.indexed)}`);
  return {
    ...anyOf('status', subject, states, (ref) => {
      const each = states.map((state) => is(state)(ref));
      return sql`(${sql.join(each, sql` or `)})`;
    }),
    // One after the other, so that the first of them are found without collecting all.
    ...(states.length > 0 && { found: sql`${sql.join(found, sql` union all `)}` }),
  };
}

/** None of no values is one of them, which PostgreSQL has no list for. */
const anyOf = (
  name: Name,
  subject: Subject,
  values: readonly unknown[],
  is: (subject: RawBuilder<unknown>) => Condition,
) => filter(name, subject, values.length === 0 ? () => sql`false` : is);

function between(name: Name, subject: Subject, from: string | undefined, to: string | undefined) {
  if (from === undefined && to === undefined) return undefined;
  const is = (ref: RawBuilder<unknown>) => {
    const bounds = [from !== undefined && sql`${ref} >= ${from}`, to !== undefined && sql`${ref} < ${to}`];
    return allOf(bounds.filter((bound) => bound !== false));
  };
  return { ...filter(name, subject, is), ...(name === 'createdAfter' && { bound: is }) };
}

/** All of the conditions; at least one. */
export const allOf = (conditions: readonly RawBuilder<unknown>[]): Condition =>
  sql`(${sql.join(conditions, sql` and `)})`;

const agentOf = (engine: Engine): Subject => ({
  indexed: sql`coalesce(tasks.agent_type, tasks.assigned_agent)`,
  tested: sql`coalesce(${engine.withoutIndex('tasks.agent_type')}, tasks.assigned_agent)`,
});

/** One range of the index; what is in it begins like the directory, such as `/shop-old` beside `/shop`. */
function isInDirectory(path: RawBuilder<unknown>, cwd: string): Condition {
  const root = trimSlashes(cwd);
  const [inside, after] = [`${root}/`, `${root}0`];
  // `is true` keeps PostgreSQL from reading two ranges, which it merges by reading each row of the table.
  return sql`(${path} >= ${root || '/'} and ${path} < ${after} and (${path} = ${root || '/'} or ${path} >= ${inside}) is true)`;
}

function labelFilter(label: string, engine: Engine): TaskFilter {
  const is = sql<SqlBool>`task_labels.label = ${label}`;
  // A range of one number: of two equal columns PostgreSQL expects one match, and reads all of a label for each task.
  const testAt: TaskFilter['testAt'] = ({ createdAt, seq }) => sql`exists (select 1 from task_labels as other
    where other.label = ${label} and other.created_at = ${createdAt} and other.task_seq between ${seq} and ${seq})`;
  return {
    name: 'labels',
    found: sql`select task_seq as seq from task_labels where ${is}`,
    test: testAt(allByCreation),
    testAt,
    end: (direction) =>
      sql`(select created_at from task_labels where ${is} order by ${orderBy([sql.ref('created_at')], direction)} limit 1)`,
    walk: {
      from: sql`task_labels ${engine.joinInOrder()} tasks on tasks.seq = task_labels.task_seq`,
      alone: sql`task_labels`,
      where: is,
      createdAt: sql.ref('task_labels.created_at'),
      seq: sql.ref('task_labels.task_seq'),
    },
  };
}

const textFilter = (q: string, engine: Engine): TaskFilter => ({
  name: 'q',
  found: engine.textMatches(q),
  slice: (slice) => engine.textMatches(q, slice),
  matching: (most) => engine.textCount(q, most),
  test: engine.textTest(q),
});
