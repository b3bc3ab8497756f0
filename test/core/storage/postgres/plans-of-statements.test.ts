import { type CompiledQuery, Kysely } from 'kysely';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { BudgetCounts } from '../../../../src/core/budgets/budget-counts.ts';
import { BudgetMarks } from '../../../../src/core/budgets/budget-marks.ts';
import type { MatchedBudget } from '../../../../src/core/budgets/known-budgets.ts';
import { EventBus } from '../../../../src/core/events.ts';
import type { Database, WriteTransaction } from '../../../../src/core/storage/database.ts';
import { readColumnTypes } from '../../../../src/core/storage/postgres/column-types.ts';
import { connectionOptions } from '../../../../src/core/storage/postgres/connection-options.ts';
import { openPostgres } from '../../../../src/core/storage/postgres/open-postgres.ts';
import { postgresDialect, StatementNames } from '../../../../src/core/storage/postgres/postgres-dialect.ts';
import { storeWords } from '../../../../src/core/storage/postgres/text-index.ts';
import { UpdateBatches } from '../../../../src/core/storage/postgres/update-batches.ts';
import { writerSession } from '../../../../src/core/storage/postgres/writer-connection.ts';
import type { Schema } from '../../../../src/core/storage/schema.ts';
import { IdempotencyStore } from '../../../../src/core/tasks/idempotency-store.ts';
import { claimOf } from '../../../../src/core/tasks/task-claim.ts';
import { untouched } from '../../../../src/core/tasks/task-columns.ts';
import { readEventPage } from '../../../../src/core/tasks/task-event-pages.ts';
import type { TaskConditions } from '../../../../src/core/tasks/task-filters.ts';
import { TaskQueryStore } from '../../../../src/core/tasks/task-query-store.ts';
import { type DuePosition, TaskScanStore } from '../../../../src/core/tasks/task-scan-store.ts';
import { TaskStore } from '../../../../src/core/tasks/task-store.ts';
import { hasPostgres, newPostgresDatabase } from '../../../helpers/postgres-server.ts';
import { newTask } from '../../../helpers/storage.ts';

const now = new Date('2026-01-01T00:00:00Z');
/** Its fence is nobody's, so that its moves change nothing. */
const task = { ...untouched, ...newTask('task_7', { status: 'queued' }), seq: 7, event_seq: 1, fence: 99 };
const position = { created_at: '2026-01-01T00:00:07.000Z', seq: 7 };
/** What PostgreSQL plans for its values each time, before it may keep one plan for all. */
const TIMES_BEFORE_PLAN_STAYS = 6;

/** What runs all the time, and the index that it is meant to use. */
const statements: [string, unknown, (database: Database) => Promise<unknown>][] = [
  ['a task by its id', 'tasks_id_key', (database) => storeOf(database).findHead(task.id)],
  [
    'the claim of a task',
    'tasks_id_key',
    (database) =>
      database.write((transaction) => {
        const { change, event } = claimOf(task, { agent: 'a', workerId: 'w', daemon: null, host: null, now });
        return storeOf(database).move(transaction, task, 'claim', now, change, [event]);
      }),
  ],
  [
    'the claims of several tasks',
    'Nested Loop < Function Scan < Index Scan of tasks_id_key',
    (database) => atOnce(database, (store, transaction, id) => store.claim(transaction, id, claim, now)),
  ],
  [
    'the ends of several tasks',
    'Nested Loop < Function Scan < Index Scan of tasks_id_key',
    (database) =>
      atOnce(database, (store, transaction, id) =>
        store.move(
          transaction,
          { ...task, id, status: 'in_progress' },
          'complete',
          now,
          { result: '{}' },
          [],
        ),
      ),
  ],
  [
    'the words of several tasks',
    // Each row by its number, of whichever index.
    expect.stringMatching(
      /^Nested Loop < Function Scan < Subquery Scan < LockRows < Index Scan of task_words_\w+ < Nested Loop < CTE Scan < Index Scan of task_words_pkey/,
    ),
    (database) => database.write(({ db }) => storeWords(db, [textsOf(7), textsOf(8)])),
  ],
  [
    'an event of a task',
    'tasks_id_key',
    (database) =>
      database.write((transaction) =>
        storeOf(database).addEvents(transaction, task, now, [{ type: 'started', message: 'Started' }]),
      ),
  ],
  [
    'the events of a task',
    'task_events_pkey',
    (database) => readEventPage(database, task, 0, { count: 200, bytes: 1e6 }),
  ],
  [
    'the answer to an idempotency key',
    'idempotency_keys_pkey',
    (database) =>
      new IdempotencyStore(database).find(database.read, { ownerId: 'o', scope: 's', key: 'k', body: {} }),
  ],
  ['the queued tasks', 'tasks_queued', (database) => scan(database, undefined)],
  ['the next queued tasks', 'tasks_queued', (database) => scan(database, position)],
  ['the due tasks', 'tasks_due', (database) => due(database, undefined)],
  ['the next due tasks', 'tasks_due', (database) => due(database, { priority: 2, ...position })],
  ['the newest tasks', 'tasks_by_creation', (database) => list(database, {})],
  ['the next page of them', 'tasks_by_creation', (database) => list(database, {}, position)],
  ['the tasks of an owner of few', 'tasks_by_owner', (database) => list(database, { ownerId: 'user_few' })],
  [
    'what was used of a budget',
    'usage_days_by_scope',
    (database) => new BudgetCounts(database, async () => undefined).read('user:user_7', 'month', day),
  ],
  [
    'what was added to a budget',
    'usage_days_by_scope',
    (database) => new BudgetMarks(database).granted(budget, day),
  ],
  ['the failed tasks', 'tasks_failed', (database) => list(database, { status: ['failed'] })],
];

const textsOf = (seq: number) => ({ seq, title: 'A task', description: null, prompt: null });

const day = '2026-01-20';
const budget: MatchedBudget = {
  scope: 'user',
  period: 'month',
  tokens: 1000,
  onReached: 'stop',
  setBy: 'the test',
  counts: 'user:user_7',
  name: 'User 7',
};

const claim = { agent: 'a', workerId: 'w', leaseUntil: now.toISOString(), daemon: null, host: null };

/** Changes twenty tasks in one turn of the event loop. */
const atOnce = (
  database: Database,
  change: (store: TaskStore, transaction: WriteTransaction, id: string) => Promise<unknown>,
) =>
  database.write((transaction) => {
    const store = storeOf(database);
    return Promise.all(Array.from({ length: 20 }, (_, n) => change(store, transaction, `task_${n}`)));
  });

const storeOf = (database: Database) => new TaskStore(database, new EventBus());
const scan = (database: Database, after: typeof position | undefined) =>
  new TaskScanStore(database).page('queued', after, 500);
const due = (database: Database, after: DuePosition | undefined) =>
  new TaskScanStore(database).due(now.toISOString(), 'here', after, 100);

async function list(database: Database, conditions: TaskConditions, after?: typeof position) {
  const store = new TaskQueryStore(database);
  const order = { sortBy: 'createdAt', sortOrder: 'desc' } as const;
  const plan = await store.plan(conditions, order);
  await store.page(plan, {
    ...order,
    fields: ['id', 'title'],
    limit: 21,
    after: after && [after.created_at, after.seq],
  });
}

describe.skipIf(!hasPostgres)('the plans of PostgreSQL (needs PostgreSQL)', () => {
  it('use the index that is meant, however the table has grown since they were made', async () => {
    const { url, drop } = await newPostgresDatabase();
    const server = { url, prepared: true };
    const database = await openPostgres({ ...server, readers: 2, writers: 1, reportBug: () => undefined });
    const client = new pg.Client(connectionOptions(server, 'svc-test', writerSession));
    await client.connect();
    try {
      const names = new StatementNames(true);
      const found = await Promise.all(
        statements.map(async ([what, , run]) => {
          const [query] = await recordedBy(database, run);
          if (!query) throw new Error(`${what} runs no statement`);
          return { what, text: query.sql, values: [...query.parameters], ...names.of(query.sql) };
        }),
      );
      const readPlans = async () => {
        const plans: Record<string, string> = {};
        for (const { what, ...query } of found) plans[what] = await planOf(client, query);
        return plans;
      };
      const plans = async () => {
        for (const query of found)
          for (let times = 0; times < TIMES_BEFORE_PLAN_STAYS; times++) await client.query(query);
        return readPlans();
      };
      const expected = Object.fromEntries(statements.map(([what, index]) => [what, index]));
      // Pages of lists are planned anew for their values: only of a filled table it matters how.
      const kept = found.flatMap(({ what, name }) => (name === undefined ? [] : [[what, expected[what]]]));
      const expectedEarly = expect.objectContaining(Object.fromEntries(kept)) as unknown;
      expect(kept.length).toBeGreaterThan(3);
      expect(await plans(), 'of an empty table').toEqual(expectedEarly);
      await addTasks(client, 1, 60);
      expect(await plans(), 'of a young table').toEqual(expectedEarly);
      await client.query('vacuum analyze');
      expect(await plans(), 'of a small table that is known well').toEqual(expectedEarly);
      await addTasks(client, 61, 20_000);
      expect(await readPlans(), 'made before the table was filled').toEqual(expected);
      await client.query('analyze');
      expect(await plans(), 'of a filled table').toEqual(expected);
    } finally {
      await client.end();
      await database.close();
      await drop();
    }
  });
});

/** The statements of some code, none of which runs. */
async function recordedBy(database: Database, run: (database: Database) => Promise<unknown>) {
  const recorded: CompiledQuery[] = [];
  const db = new Kysely<Schema>({
    dialect: postgresDialect({
      executeQuery: (query) => {
        recorded.push(query);
        return Promise.resolve({ rows: [] });
      },
      streamQuery: () => {
        throw new Error('Nothing is streamed');
      },
    }),
  });
  const updates = new UpdateBatches(db, await readColumnTypes(database.read));
  const transaction: WriteTransaction = {
    db,
    rows: () => [],
    update: (update, values) => {
      setImmediate(() => updates.send());
      return updates.add(update, values);
    },
    insertLater: () => undefined,
    addLater: () => undefined,
    collect: () => undefined,
    afterCommit: () => undefined,
  };
  await run({ ...database, read: db, longRead: db, write: (work) => work(transaction) });
  return recorded;
}

/** The index of the plan, whose few rows may be sorted or added up afterwards; or all of the plan where there is more to it. */
async function planOf(client: pg.Client, { name, text, values }: Statement): Promise<string> {
  const literals = values.map((value) =>
    value === null
      ? 'null'
      : pg.escapeLiteral(Array.isArray(value) ? arrayOf(value) : `${value as string | number}`),
  );
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    name === undefined
      ? { text: `explain (format json) ${text}`, values }
      : { text: `explain (format json) execute ${name}(${literals.join(', ')})` },
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (!plan) throw new Error('PostgreSQL explains nothing');
  const steps = stepsOf(plan).filter(
    (step) => !['Limit', 'ModifyTable', 'Sort', 'Aggregate', 'Bitmap Heap Scan'].includes(step),
  );
  return steps.join(' < ').replace(/^(Bitmap )?Index (Only )?Scan of (\w+)$/, '$3');
}

/** An array as PostgreSQL reads it. */
const arrayOf = (values: unknown[]) =>
  `{${values.map((value) => (value === null ? 'null' : JSON.stringify(value))).join()}}`;

interface Statement {
  name?: string;
  text: string;
  values: unknown[];
}

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  Plans?: PlanNode[];
}

const stepsOf = ({ 'Node Type': type, 'Index Name': index, Plans = [] }: PlanNode): string[] => [
  index === undefined ? type : `${type} of ${index}`,
  ...Plans.flatMap(stepsOf),
];

async function addTasks(client: pg.Client, from: number, to: number): Promise<void> {
  await client.query(
    `insert into tasks (seq, id, owner_id, title, status, priority, source, labels, max_attempts, created_at, updated_at)
    select n, 'task_' || n, case when n < 4 then 'user_few' else 'user_' || n % 10 end, 'A task', case when n % 50 = 0 then 'failed' else 'queued' end, 3, 'api',
      '[]', 3, moment, moment
    from generate_series($1::int, $2::int) as n,
      to_char(timestamp '2026-01-01' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"') as moment`,
    [from, to],
  );
  await client.query(
    `insert into task_events (task_seq, seq, type, at, message, data)
    select n, event, 'started', '', 'Started', '{}' from generate_series($1::int, $2::int) as n, generate_series(1, 4) as event`,
    [from, to],
  );
  await client.query(
    `insert into task_words (task_seq, words) select n, null from generate_series($1::int, $2::int) as n`,
    [from, to],
  );
  // Some hundred counters of each day.
  await client.query(
    `insert into usage_days (day, scope, tokens, cost_usd)
    select to_char(date '2026-01-01' + n % 60, 'YYYY-MM-DD'), 'user:user_' || n / 60, 1, 0
    from generate_series($1::int, $2::int) as n`,
    [from, to],
  );
}
