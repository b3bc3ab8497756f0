import { type Kysely, sql } from 'kysely';

/** Which daemon may run a task, and which one did; the host that has a worktree and a session. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const column of ['needs', 'home', 'daemon'])
    await db.schema.alterTable('tasks').addColumn(column, 'text').execute();
  for (const table of ['worktrees', 'task_sessions'])
    await db.schema
      .alterTable(table)
      .addColumn('host', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
  // Hosts have ports of their own.
  await db.schema.dropIndex('worktrees_by_port').execute();
  await sql`create unique index worktrees_by_port on worktrees (host, port_base)
    where port_base is not null and state <> 'discarded'`.execute(db);
  // Only databases that daemons share have the table.
  const tables = await db.introspection.getTables();
  if (tables.some(({ name }) => name === 'daemons'))
    for (const column of ['pools', 'name'])
      await db.schema.alterTable('daemons').addColumn(column, 'text').execute();
}
