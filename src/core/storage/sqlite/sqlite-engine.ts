import type { DatabaseSync } from 'node:sqlite';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { inRounds } from '../../async/in-rounds.ts';
import type { Database, Engine, TextSlice } from '../database.ts';
import { inTime } from './long-reads/read-messages.ts';
import type { Schema } from '../schema.ts';
import { readState } from '../state.ts';

/** Tasks per batch, small enough not to block the event loop. */
const BATCH = 500;
/** Tasks between two looks at the clock, which cost as much as reading a hundred tasks. */
const CHECK_EVERY = 512;
/** Rows from which on counting them would hold up other requests: about 5 ms. */
const MANY = 50_000;
const WATERMARK = 'task_text_seq';

/** The SQLite implementation, with FTS5 and JSON functions. */
export function sqliteEngine(database: Pick<Database, 'read' | 'write'>, lastSeq: number): Engine {
  // Only one process writes, so it assigns the numbers, and rows can be inserted at the end of a transaction.
  let taskSeq = lastSeq;
  const refresh = async () => {
    while (await indexNextTasks(database));
  };
  return {
    nextTaskSeq: () => ++taskSeq,
    textMatches,
    textCount: (query, most) =>
      sql`select count(*) as n from (${textMatches(query)} limit ${most + 1}) as found`,
    textTest: (query) => sql`+tasks.seq in (${textMatches(query)})`,
    withoutIndex: (column) => sql`+${sql.ref(column)}`,
    inIndex: (column, value) => ({ where: sql`${column} = ${value}`, before: [] }),
    joinInOrder: () => sql`cross join`,
    numbers: (list) => sql`select value from json_each(${JSON.stringify(list)})`,
    inTime: () => sql`(tasks.seq % ${sql.lit(CHECK_EVERY)} <> 0 or ${sql.raw(inTime)}())`,
    resultWithoutTexts: () =>
      sql`json_remove(tasks.result, '$.output', '$.artifacts', '$.verification', '$.candidates', '$.refusedCalls')`,
    hasTag: (tag) => sql`exists (select 1 from json_each(experiences.tags) where value = ${tag})`,
    jsonValue: (column, path) => sql`json_extract(${sql.ref(column)}, ${path})`,
    mayHaveMany: async (table) => {
      const { rows } = await sql<{
        n: number | null;
      }>`select max(rowid) as n from ${sql.table(table)}`.execute(database.read);
      return (rows[0]?.n ?? 0) > MANY;
    },
    // Only one transaction is open at a time.
    lock: (query) => query,
    lockUser: async () => undefined,
    enter: async () => undefined,
    // What is not indexed yet is what comes after the watermark.
    noteText: () => undefined,
    refreshTextIndex: inRounds(refresh),
    forgetTexts,
    changeText,
  };
}

/** FTS5 walks through its matches in the order of the numbers, either way, so that a slice costs what it holds. */
function textMatches(query: string, slice?: TextSlice): RawBuilder<{ seq: number }> {
  const match = sql`select rowid as seq from task_text where task_text match ${toMatchExpression(query)}`;
  if (!slice) return sql`${match}`;
  const { order, from, limit } = slice;
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  const bound = order === 'asc' ? sql`>=` : sql`<=`;
  const start = from === undefined ? sql`` : sql`and rowid ${bound} ${from}`;
  return sql`${match} ${start} order by rowid ${direction} limit ${limit}`;
}

/** Removes tasks from the text index before their rows: FTS5 needs the indexed text to remove it. */
async function forgetTexts(db: Kysely<Schema>, seqs: number[]): Promise<void> {
  const indexed = Number((await readState(db, WATERMARK)) ?? 0);
  const found = seqs.filter((seq) => seq <= indexed);
  if (found.length === 0) return;
  await sql`insert into task_text (task_text, rowid, title, description, prompt)
    select 'delete', seq, title, coalesce(description, ''), coalesce(prompt, '') from tasks
    where seq in (${sql.join(found)})`.execute(db);
}

/** Changes the text of a task; the index loses the old text and gets the new one. */
async function changeText(db: Kysely<Schema>, seq: number, change: () => Promise<void>): Promise<void> {
  await forgetTexts(db, [seq]);
  await change();
  if (seq <= Number((await readState(db, WATERMARK)) ?? 0))
    await sql`insert into task_text (rowid, title, description, prompt)
      select seq, title, coalesce(description, ''), coalesce(prompt, '') from tasks where seq = ${seq}`.execute(
      db,
    );
}

/**
 * The highest sequence number that was ever used. The newest task may have been removed, but the text index and the
 * events that are still to be removed refer to its number.
 */
export function lastTaskSeq(native: DatabaseSync): number {
  const row = native
    .prepare(
      `select max(coalesce((select max(seq) from tasks), 0), coalesce((select max(task_seq) from removed_tasks), 0),
        coalesce((select cast(value as integer) from state where key = '${WATERMARK}'), 0)) as seq`,
    )
    .get();
  return Number(row?.['seq'] ?? 0);
}

/** Quotes each word, so that FTS5 operators in a query are plain words; the last one matches as a prefix. */
function toMatchExpression(query: string): string {
  const words = query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.length === 0 ? '""' : `${words.map((word) => `"${word}"`).join(' ')}*`;
}

/** Indexes the next batch of tasks, separately from their writes, so that storing a task does not wait for the index. */
async function indexNextTasks({ read, write }: Pick<Database, 'read' | 'write'>): Promise<boolean> {
  const newest = await sql<{ seq: number | null }>`select max(seq) as seq from tasks`.execute(read);
  const done = await sql<{ value: string }>`select value from state where key = ${WATERMARK}`.execute(read);
  const from = Number(done.rows[0]?.value ?? 0);
  const to = Math.min(newest.rows[0]?.seq ?? 0, from + BATCH);
  if (to <= from) return false;
  await write(async ({ db }) => {
    const range = sql`where seq > ${from} and seq <= ${to}`;
    await sql`insert into task_text (rowid, title, description, prompt)
      select seq, title, coalesce(description, ''), coalesce(prompt, '') from tasks ${range} order by seq`.execute(
      db,
    );
    await sql`insert into state (key, value) values (${WATERMARK}, ${String(to)})
      on conflict (key) do update set value = excluded.value`.execute(db);
  });
  return true;
}
