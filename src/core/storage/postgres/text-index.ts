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
  for await (const page of pages(missing))
    await write(({ db }) =>
      // The rows in order, so that two daemons that do the same do not wait for each other in a circle.
      sql`with found (seq, words) as (${unnested(page)}),
        due as (select task_seq from task_words where task_seq in (select seq from found) and words is null
          order by task_seq for update)
        update task_words set words = ${vector}
        from found, due where task_words.task_seq = found.seq and due.task_seq = found.seq`.execute(db),
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
      select seq, ${vector} from (${unnested(page)}) as found (seq, words)`.execute(db);
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
  return sql`select * from unnest(${tasks.map(({ seq }) => seq)}::bigint[], ${words}::text[])`;
}

const vector = sql`array_to_tsvector(array(select jsonb_array_elements_text(found.words::jsonb)))`;
