import { sql } from 'kysely';
import type { Database, Engine } from './database.ts';

/** Tasks per step: short enough to leave the event loop to others. */
const STEP = 500;
const WATERMARK = 'task_text_seq';

/** What SQLite does in its own words: FTS5 and JSON. */
export function sqliteEngine(database: Pick<Database, 'read' | 'write'>, lastTaskSeq: number): Engine {
  // One process writes, so it can count by itself; rows can then go to the end of a transaction.
  let taskSeq = lastTaskSeq;
  let refreshing: Promise<void> | undefined;
  const refresh = async () => {
    while (await indexNextTasks(database));
  };
  return {
    nextTaskSeq: () => ++taskSeq,
    textMatches: (query) =>
      sql`tasks.seq in (select rowid from task_text where task_text match ${toMatchExpression(query)})`,
    hasLabel: (label) => sql`exists (select 1 from json_each(tasks.labels) where value = ${label})`,
    hasTag: (tag) => sql`exists (select 1 from json_each(experiences.tags) where value = ${tag})`,
    refreshTextIndex: () => (refreshing ??= refresh().finally(() => (refreshing = undefined))),
  };
}

/** Quotes each word, so that FTS5's own operators in a query are only words; the last one matches as a beginning. */
function toMatchExpression(query: string): string {
  const words = query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.length === 0 ? '""' : `${words.map((word) => `"${word}"`).join(' ')}*`;
}

/** The index follows the table in steps of its own: a task is stored without waiting for it. */
async function indexNextTasks({ read, write }: Pick<Database, 'read' | 'write'>): Promise<boolean> {
  const newest = await sql<{ seq: number | null }>`select max(seq) as seq from tasks`.execute(read);
  const done = await sql<{ value: string }>`select value from state where key = ${WATERMARK}`.execute(read);
  const from = Number(done.rows[0]?.value ?? 0);
  const to = Math.min(newest.rows[0]?.seq ?? 0, from + STEP);
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
