import { sql } from 'kysely';
import type { Database } from '../../src/core/storage/database.ts';
import type { Schema } from '../../src/core/storage/schema.ts';
import { isPro } from './pro.ts';

/** Lets the database refuse changes of a table with `message`, those for which `condition` holds; answers what mends it. */
export async function breakTable(
  database: Database,
  table: keyof Schema,
  { on, condition, message }: { on: 'insert' | 'update'; condition?: string; message: string },
): Promise<() => Promise<void>> {
  const when = condition === undefined ? '' : `when (${condition})`;
  const trigger = `create trigger broken before ${on} on ${table}`;
  const run = (...statements: string[]) =>
    database.write(async ({ db }) => {
      for (const statement of statements) await sql.raw(statement).execute(db);
    });
  if (!isPro) await run(`${trigger} ${when} begin select raise(abort, '${message}'); end`);
  else
    await run(
      `create function broken() returns trigger language plpgsql as 'begin raise exception ''${message}''; end'`,
      `${trigger} for each row ${when} execute function broken()`,
    );
  return () =>
    run(`drop trigger broken ${isPro ? `on ${table}` : ''}`, ...(isPro ? ['drop function broken()'] : []));
}
