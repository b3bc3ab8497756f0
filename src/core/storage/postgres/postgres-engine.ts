import { sql } from 'kysely';
import { inRounds } from '../../async/in-rounds.ts';
import type { Database, Engine } from '../database.ts';
import { storableJson } from '../storable-text.ts';
import type { TaskNumbers } from './task-numbers.ts';
import { indexMissing } from './text-index.ts';
import { isTextMatch, textCount, textMatches } from './text-matches.ts';

/** What is so large that a list does not read it. */
const LONG_PARTS = ['output', 'artifacts', 'verification', 'candidates', 'refusedCalls'];

/** The PostgreSQL implementation, with text search by `tsvector` and JSON by `jsonb`. */
export function postgresEngine(database: Pick<Database, 'read' | 'write'>, taskNumbers: TaskNumbers): Engine {
  return {
    nextTaskSeq: () => taskNumbers.next(),
    textMatches,
    textCount,
    // Not a query of all matches: for words that most tasks have, PostgreSQL would collect a million of them first.
    textTest: (query) =>
      sql`(select ${isTextMatch(query)} from task_words where task_words.task_seq = tasks.seq)`,
    // The planner of PostgreSQL knows how many rows a condition finds.
    withoutIndex: (column) => sql`${sql.ref(column)}`,
    // A range: the order of equal values would be that of another index, which may have many others first.
    inIndex: (column, value) => ({ where: sql`${column} between ${value} and ${value}`, before: [column] }),
    joinInOrder: () => sql`join`,
    numbers: (list) => sql`select unnest(${list}::bigint[]) as value`,
    inTime: () => sql`true`,
    resultWithoutTexts: () => sql`(tasks.result::jsonb - ${LONG_PARTS}::text[])::text`,
    hasTag: (tag) => sql`experiences.tags::jsonb @> ${storableJson([tag])}::jsonb`,
    jsonValue: (column, path) => sql`${sql.ref(column)}::jsonb #> ${path.split('.').slice(1)}::text[]`,
    // Reading never holds up this process.
    mayHaveMany: async () => false,
    refreshTextIndex: inRounds(() => indexMissing(database)),
    lock: (query) => query.forNoKeyUpdate(),
    lockUser: async (db, userId) => {
      await db.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
    },
    enter: async (db, name) => {
      await sql`insert into sections (name) values (${name}) on conflict (name) do update set name = excluded.name`.execute(
        db,
      );
    },
    noteText: (transaction, seq) => transaction.insertLater('task_words', { task_seq: seq, words: null }),
    forgetTexts: async (db, seqs) => {
      await db.deleteFrom('task_words').where('task_seq', 'in', seqs).execute();
    },
    changeText: async (db, seq, change) => {
      await change();
      await db.updateTable('task_words').set({ words: null }).where('task_seq', '=', seq).execute();
    },
  };
}
