import { backup, type DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { AppError } from '../errors.ts';
import { up as approvals } from './migrations/approvals.ts';
import { up as auth } from './migrations/auth.ts';
import { up as conversations } from './migrations/conversations.ts';
import { up as memory } from './migrations/memory.ts';
import { up as owners } from './migrations/owners.ts';
import { up as pairing } from './migrations/pairing.ts';
import { up as tasks } from './migrations/tasks.ts';
import { up as webhooks } from './migrations/webhooks.ts';

type Migration = (db: Kysely<never>) => Promise<void>;

/**
 * Every migration by the name that databases record, in the order in which they run. A landed one keeps its name, its
 * position and its content; its file may be renamed.
 */
const ourMigrations: Record<string, Migration> = {
  '0001-tasks': tasks,
  '0002-access': auth,
  '0003-chat': conversations,
  '0004-tools': approvals,
  '0005-outside': webhooks,
  '0006-memory': memory,
  '0007-pairing': pairing,
  '0008-owners': owners,
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
