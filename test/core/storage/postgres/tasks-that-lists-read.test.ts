import { CompiledQuery, type Kysely, type KyselyPlugin } from 'kysely';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/storage/database.ts';
import { openPostgres } from '../../../../src/core/storage/postgres/open-postgres.ts';
import type { Schema } from '../../../../src/core/storage/schema.ts';
import type { TaskConditions } from '../../../../src/core/tasks/task-filters.ts';
import type { TaskPage } from '../../../../src/core/tasks/task-page.ts';
import type { ReadSizes } from '../../../../src/core/tasks/task-plan.ts';
import { TaskQueryStore } from '../../../../src/core/tasks/task-query-store.ts';
import { hasPostgres, newPostgresDatabase } from '../../../helpers/postgres-server.ts';

const TASKS = 30_000;
/** As if the table were so many times smaller than one of a million tasks. */
const sizes: ReadSizes = {
  few: 60,
  directory: 600,
  page: 50,
  matches: 600,
  indexed: 1500,
  counted: 300,
  ahead: 300,
  examined: 150,
};
/** No statement reads more rows of a table; those whose index says enough are not read. */
const MOST = 3000;

const orders = ['createdAt', 'updatedAt', 'completedAt', 'priority'] as const;
type Case = [what: string, conditions: TaskConditions, only?: readonly (typeof orders)[number][]];

const cases: Case[] = [
  ['nothing but the order', {}],
  ['one of two states', { status: ['failed', 'cancelled'] }],
  ['a frequent label', { labels: ['nightly'] }],
  ['a label of the oldest tasks', { labels: ['old'] }],
  ['two frequent labels that no task has together', { labels: ['old', 'new'] }],
  ['a frequent label and one of few', { labels: ['nightly', 'l7'] }],
  ['an agent of the oldest tasks', { agent: 'retired' }, ['createdAt', 'priority']],
  [
    'an agent of the oldest tasks and a frequent label',
    { agent: 'retired', labels: ['nightly'] },
    ['createdAt'],
  ],
  ['a state and an agent of the oldest tasks', { status: ['failed'], agent: 'retired' }, ['createdAt']],
  ['an agent that the oldest tasks do not have', { agent: 'noop', createdBefore: '2023-01-01' }],
  ['all of a directory', { cwd: '/home/ada' }],
  ['a word that most tasks have', { q: 'number' }],
  ['a word that most tasks have, but none of the newest', { q: 'early' }, ['createdAt']],
  [
    'a word that most tasks have, of an agent of the oldest',
    { q: 'number', agent: 'retired' },
    ['createdAt'],
  ],
];

describe.skipIf(!hasPostgres)('what a list of many tasks reads in PostgreSQL (needs PostgreSQL)', () => {
  it('is no more than a page and what is counted needs, wherever the tasks of the filters are', async () => {
    const { url, drop } = await newPostgresDatabase();
    await fill(url);
    const reportBug = (error: unknown) => {
      throw error;
    };
    const database = await openPostgres({ url, prepared: true, readers: 5, writers: 1, reportBug });
    try {
      const tooMany: string[] = [];
      for (const [what, conditions, only = orders] of cases)
        for (const sortBy of only)
          for (const { rows, sql } of await readBy(database, conditions, sortBy))
            if (rows > MOST) tooMany.push(`${what}, by ${sortBy}, reads ${rows} rows: ${sql}`);
      expect(tooMany).toEqual([]);
    } finally {
      await database.close();
      await drop();
    }
  }, 180_000);

  it('does not take another core, nor all of a frequent value before its first row', async () => {
    const { url, drop } = await newPostgresDatabase();
    const reportBug = () => undefined;
    const database = await openPostgres({ url, prepared: true, readers: 5, writers: 1, reportBug });
    const setting = async (db: Kysely<Schema>, name: string) => {
      const { rows } = await db.executeQuery<{ value: string }>(
        CompiledQuery.raw(`select current_setting($1) as value`, [name]),
      );
      return rows[0]?.value;
    };
    try {
      for (const db of [database.read, database.longRead]) {
        expect(await setting(db, 'max_parallel_workers_per_gather')).toBe('0');
        expect(await setting(db, 'random_page_cost')).toBe('1.1');
      }
    } finally {
      await database.close();
      await drop();
    }
  });
});

interface Statement {
  sql: string;
  /** Rows that were read from tables. */
  rows: number;
}

/** The statements of a page and its total. */
async function readBy(
  database: Database,
  conditions: TaskConditions,
  sortBy: TaskPage['sortBy'],
): Promise<Statement[]> {
  const statements: Promise<Statement>[] = [];
  const noting = (db: Kysely<Schema>) => db.withPlugin(explaining(db, statements));
  const query = new TaskQueryStore(
    Object.create(database, {
      read: { value: noting(database.read) },
      longRead: { value: noting(database.longRead) },
    }) as Database,
    sizes,
  );
  const page: TaskPage = { fields: ['title'], sortBy, sortOrder: 'desc', limit: 11 };
  const plan = await query.plan(conditions, page);
  await query.page(plan, page);
  await query.count(plan, page);
  expect(statements.length).toBeGreaterThan(0);
  return Promise.all(statements);
}

/** Runs each statement once more to note what it reads. */
function explaining(db: Kysely<Schema>, statements: Promise<Statement>[]): KyselyPlugin {
  return {
    transformQuery({ node, queryId }) {
      const { sql, parameters } = db.getExecutor().compileQuery(node, queryId);
      const explain = CompiledQuery.raw(`explain (analyze, format json) ${sql}`, [...parameters]);
      const explained = db.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain);
      statements.push(explained.then(({ rows }) => ({ sql, rows: rowsOf(rows[0]?.['QUERY PLAN'][0].Plan) })));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

const readers = new Set(['Seq Scan', 'Index Scan', 'Bitmap Heap Scan']);

function rowsOf(node: PlanNode | undefined): number {
  if (!node) throw new Error('PostgreSQL explains nothing');
  const { 'Node Type': type, 'Actual Rows': found, 'Actual Loops': loops, Plans = [] } = node;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own = readers.has(type) ? (found + removed) * loops : 0;
  return Plans.reduce((sum, plan) => sum + rowsOf(plan), own);
}

/** Tasks a second apart: a tenth with a retired agent, all of it the oldest; nothing in common with the newest but a label. */
async function fill(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`
    insert into tasks (seq, id, owner_id, title, status, priority, source, labels, max_attempts, agent_type, cwd, created_at, updated_at, completed_at)
      select n, 'task_' || n, 'user_owner', 'Task number ' || n,
        case when n % 10 = 0 then 'failed' when n % 1001 = 0 then 'cancelled' else 'completed' end, 1 + n / 64 % 4, 'api',
        '[]', 3, case when n <= ${TASKS / 10} then 'retired' else 'noop' end, '/home/ada/p' || n % 100, moment, moment, moment
      from generate_series(1, ${TASKS}) as n,
        to_char(timestamp '2026-01-01' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"') as moment;
    insert into task_labels select label, created_at, seq from tasks,
      unnest(array['nightly', 'l' || seq % 1000, case when seq <= ${TASKS * 0.4} then 'old' else 'new' end]) as label;
    insert into task_words select seq, array_to_tsvector(array['task', 'number', seq::text, case when seq <= ${TASKS - 1500} then 'early' else 'late' end]) from tasks;`);
  // So that an index tells of its rows, and the planner of both.
  await client.query('vacuum analyze');
  await client.end();
}
