import { type Kysely, sql } from 'kysely';
import type { ReportParts } from '../migration.ts';

/** The labels take about as long as so many indexes. */
const LABELS = 6;

/** Finds tasks by each filter and in each order of a list without reading all of them. */
export async function up(db: Kysely<never>, report: ReportParts): Promise<void> {
  await sql`create table task_labels (
    label text not null, created_at text not null, task_seq integer not null,
    primary key (label, created_at, task_seq)
  ) without rowid`.execute(db);
  await sql`insert into task_labels (label, created_at, task_seq)
    select distinct labels.value, tasks.created_at, tasks.seq from tasks, json_each(tasks.labels) as labels
    where tasks.labels <> '[]' order by 1, 2, 3`.execute(db);
  const indexes = {
    tasks_by_repository: sql`(repository, created_at, seq) where repository is not null`,
    tasks_by_agent: sql`(coalesce(agent_type, assigned_agent), created_at, seq)`,
    tasks_by_priority: sql`(priority, created_at, seq)`,
    tasks_by_origin: sql`(source, created_at, seq)`,
    tasks_by_update: sql`(updated_at, seq)`,
  };
  for (const [index, [name, columns]] of Object.entries(indexes).entries()) {
    report(LABELS + index, LABELS + Object.keys(indexes).length);
    await sql`create index ${sql.ref(name)} on tasks ${columns}`.execute(db);
  }
}
