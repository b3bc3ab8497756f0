import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { openSqlite } from '../storage/sqlite/open-sqlite.ts';

/** Creates a database or brings one to this version, as the start of a daemon does. */
export async function migrateSqlite(file: string): Promise<void> {
  const reportBug = (error: unknown): never => {
    throw error;
  };
  await (await openSqlite({ file, synchronous: 'FULL', cacheMiB: 16, reportBug })).close();
}

export const readStateIn = (native: DatabaseSync, key: string): string | undefined => {
  const row = native.prepare('select value from state where key = ?').get(key);
  return row === undefined ? undefined : String(row['value']);
};

export const writeStateIn = (native: DatabaseSync, key: string, value: string): unknown =>
  native.prepare('insert or replace into state (key, value) values (?, ?)').run(key, value);

/** Tasks that are indexed before other work gets its turn. */
const BATCH = 500;

/** Fills the text index with all tasks; later ones get numbers above `lastTaskSeq`. */
export async function indexTexts(native: DatabaseSync, lastTaskSeq: number): Promise<void> {
  const next = native.prepare(
    'select max(seq) as seq from (select seq from tasks where seq > ? order by seq limit ?)',
  );
  const add = native.prepare(
    `insert into task_text (rowid, title, description, prompt)
      select seq, title, coalesce(description, ''), coalesce(prompt, '') from tasks where seq > ? and seq <= ? order by seq`,
  );
  for (let from = 0; ;) {
    const to = next.get(from, BATCH)?.['seq'];
    if (typeof to !== 'number') break;
    add.run(from, to);
    from = to;
    await yieldToEventLoop();
  }
  writeStateIn(native, 'task_text_seq', String(lastTaskSeq));
}
