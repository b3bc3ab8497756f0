import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';
import { indexedWords } from './text-words.ts';

/** Tasks whose words are stored in one statement. */
const BATCH = 500;

interface Texts {
  seq: number;
  title: string;
  description: string | null;
  prompt: string | null;
}

/**
 * Stores the words of the tasks that have none, separately from their writes, so that storing a task does not wait for the
 * index. By what is missing and not by a watermark of an earlier time: numbers are not committed in their order.
 */
export async function indexMissing({ read, write }: Pick<Database, 'read' | 'write'>): Promise<void> {
  // The index of what is missing keeps those that were found until a vacuum: each page begins after the one before.
  const missing = (after: number) =>
    read
      .selectFrom('task_words')
      .innerJoin('tasks', 'tasks.seq', 'task_words.task_seq')
      .select(columns)
      .where('task_words.words', 'is', null)
      .where('task_words.task_seq', '>', after)
      .orderBy('task_words.task_seq')
      .limit(BATCH)
      .execute();
  for await (const page of pages(missing)) await write(({ db }) => storeWords(db, page));
}

/**
 * Stores the words of tasks that have none; the rows in order, so that two daemons that do the same do not wait for each
 * other in a circle, and each by its key: a plan of a young table may read the whole index of what is missing for each.
 */
export async function storeWords(db: Kysely<Schema>, page: readonly Texts[]): Promise<void> {
  await sql`with due as (select row.task_seq, found.words from ${unnested(page)} as found (seq, words)
      cross join lateral (select task_seq from task_words where task_seq = found.seq and words is null for update) as row)
    update task_words set words = ${vectorOf('due')} from due where task_words.task_seq = due.task_seq`.execute(
    db,
  );
}

/** Indexes all tasks of a database that has no words yet; `onProgress` gets how many are done. */
export async function indexAll(db: Kysely<Schema>, onProgress: (done: number) => void): Promise<void> {
  const all = (after: number) =>
    db
      .selectFrom('tasks')
      .select(columns)
      .where('tasks.seq', '>', after)
      .orderBy('tasks.seq')
      .limit(BATCH)
      .execute();
  let done = 0;
  for await (const page of pages(all)) {
    await sql`insert into task_words (task_seq, words)
      select seq, ${vectorOf('found')} from ${unnested(page)} as found (seq, words)`.execute(db);
    onProgress((done += page.length));
  }
}

/** The pages of `read`, each after the number at the end of the one before, to the first that is not full. */
async function* pages(read: (after: number) => Promise<Texts[]>): AsyncGenerator<Texts[]> {
  for (let after = 0; ;) {
    const page = await read(after);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    if (page.length < BATCH) return;
    after = last.seq;
  }
}

const columns = ['tasks.seq', 'tasks.title', 'tasks.description', 'tasks.prompt'] as const;

/** The numbers of the tasks with their words as JSON. */
function unnested(tasks: readonly Texts[]) {
  const words = tasks.map(({ title, description, prompt }) =>
    JSON.stringify(indexedWords([title, description, prompt].filter(Boolean).join('\n'))),
  );
  return sql`unnest(${tasks.map(({ seq }) => seq)}::bigint[], ${words}::text[])`;
}

/** The words of a row of `table`, which are JSON, as PostgreSQL searches them. */
function vectorOf(table: string) {
  return sql`array_to_tsvector(array(select jsonb_array_elements_text(${sql.ref(`${table}.words`)}::jsonb)))`;
}
