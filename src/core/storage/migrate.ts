import { backup, type DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { AppError } from '../errors.ts';
import { up as tasks } from './migrations/0001-tasks.ts';
import { up as access } from './migrations/0002-access.ts';
import { up as chat } from './migrations/0003-chat.ts';
import { up as tools } from './migrations/0004-tools.ts';
import { up as outside } from './migrations/0005-outside.ts';
import { up as memory } from './migrations/0006-memory.ts';
import { up as pairing } from './migrations/0007-pairing.ts';

type Migration = (db: Kysely<never>) => Promise<void>;

/** Every migration, in the order of their names. A landed one never changes. */
const ourMigrations: Record<string, Migration> = {
  '0001-tasks': tasks,
  '0002-access': access,
  '0003-chat': chat,
  '0004-tools': tools,
  '0005-outside': outside,
  '0006-memory': memory,
  '0007-pairing': pairing,
};

/**
 * Brings the schema to this version, each migration in a transaction of its own; Kysely's own migrator uses none on
 * SQLite. A database that already holds data is copied to `<file>.before-<migration>` first; one from a newer svc is
 * refused.
 */
export async function migrate<T>(
  native: DatabaseSync,
  db: Kysely<T>,
  file: string,
  migrations: Record<string, Migration> = ourMigrations,
): Promise<void> {
  native.exec('create table if not exists schema_migrations (name text primary key, done_at text not null)');
  const done = native
    .prepare('select name from schema_migrations')
    .all()
    .map((row) => String(row['name']));
  const unknown = done.filter((name) => !(name in migrations));
  if (unknown.length > 0)
    throw new AppError(
      'unavailable',
      `The database ${file} was written by a newer svc (it has ${unknown.join(', ')}). Upgrade svc, or use another SVC_HOME.`,
    );
  const pending = Object.entries(migrations).filter(([name]) => !done.includes(name));
  const [first] = pending;
  if (first && done.length > 0) await backup(native, `${file}.before-${first[0]}`);
  for (const [name, up] of pending) {
    native.exec('begin immediate');
    try {
      await up(db as unknown as Kysely<never>);
      native
        .prepare("insert into schema_migrations values (?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))")
        .run(name);
      native.exec('commit');
    } catch (error) {
      native.exec('rollback');
      throw error;
    }
  }
}
