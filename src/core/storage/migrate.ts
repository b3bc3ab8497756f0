import { backup, type DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { AppError } from '../errors.ts';
import type { Schema } from './schema.ts';
import { up as tasks } from './migrations/0001-tasks.ts';

/** Every migration, in the order of their names. A landed one never changes. */
const migrations: Record<string, Migration> = { '0001-tasks': { up: tasks } };

/**
 * Brings the schema to this version, each migration in a transaction of its own. A database that already holds data is
 * copied to `<file>.before-<migration>` first; one from a newer svc is refused.
 */
export async function migrate(native: DatabaseSync, db: Kysely<Schema>, file: string): Promise<void> {
  const done = await executedMigrations(db);
  const unknown = done.filter((name) => !(name in migrations));
  if (unknown.length > 0)
    throw new AppError(
      'unavailable',
      `The database ${file} was written by a newer svc (it has ${unknown.join(', ')}). Upgrade svc, or use another SVC_HOME.`,
    );
  const [next] = Object.keys(migrations).filter((name) => !done.includes(name));
  if (!next) return;
  if (done.length > 0) await backup(native, `${file}.before-${next}`);
  // Loaded only here: most starts have nothing to migrate.
  const { Migrator } = await import('kysely/migration');
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
  for (;;) {
    const { error, results } = await migrator.migrateUp();
    if (error) throw error;
    if (!results || results.length === 0) return;
  }
}

async function executedMigrations(db: Kysely<Schema>): Promise<string[]> {
  const table =
    await sql`select 1 from sqlite_master where type = 'table' and name = 'kysely_migration'`.execute(db);
  if (table.rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}
