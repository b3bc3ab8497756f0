import { type Kysely, sql } from 'kysely';
import { accessTables } from './schema/access.ts';
import { clusterTables } from './schema/cluster.ts';
import { conversationTables } from './schema/conversations.ts';
import { integrationTables } from './schema/integrations.ts';
import { taskTables } from './schema/tasks.ts';

const tables = [taskTables, accessTables, conversationTables, integrationTables, clusterTables];

/**
 * The whole schema of a new PostgreSQL database: all that the migrations of SQLite make until `0035-task-filters`, and
 * what only a cluster needs. Released, it never changes: what follows is a shared migration.
 */
export async function up(db: Kysely<never>): Promise<void> {
  // Texts are compared by their bytes, as on SQLite, whatever the locale of the database is.
  const statements = tables.join('').replace(/\btext\b/g, 'text collate "C"');
  await sql.raw(statements).execute(db);
  await seedStatistics(db);
}

/**
 * Gives the planner an idea of a table of tasks before there are any. The rows go again, and the statistics stay: without
 * the savepoint the tables would count as known to be empty, and a list would be planned over any index.
 */
async function seedStatistics(db: Kysely<never>): Promise<void> {
  await sql`insert into tasks (seq, id, owner_id, title, status, priority, source, labels, max_attempts, created_at, updated_at)
    select n, 'task_' || n, 'user_' || n % 10, 'A task', (array['queued', 'in_progress', 'completed', 'failed'])[1 + n % 4],
      3, 'api', '[]', 3, 'time ' || n, 'time ' || n
    from generate_series(1, 10000) as n`.execute(db);
  await sql`insert into task_events (task_seq, seq, type, at, message, data)
    select task, event, 'created', 'time ' || task, 'Created', '{}'
    from generate_series(1, 2000) as task, generate_series(1, 5) as event`.execute(db);
  await sql`analyze tasks, task_events`.execute(db);
  await sql`savepoint seeded`.execute(db);
  await sql`truncate tasks, task_events`.execute(db);
  await sql`release savepoint seeded`.execute(db);
}
