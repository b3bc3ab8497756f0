import { type RawBuilder, sql, type SqlBool } from 'kysely';

/** A reason why a finished task is still needed. */
interface TaskTie {
  condition: RawBuilder<SqlBool>;
  /** Completes the sentence "cannot be deleted yet:". */
  reason: string;
}

/** Such a task cannot be deleted, neither by a user nor by retention. */
export const taskTies: readonly TaskTie[] = [
  {
    condition: sql`exists (select 1 from approvals where task_id = tasks.id and status = 'pending')`,
    reason: 'an approval of it is pending',
  },
  {
    condition: sql`exists (select 1 from notify_deliveries
      where task_id = tasks.id and status = 'waiting')`,
    reason: 'its notification is not prepared yet',
  },
  {
    condition: sql`exists (select 1 from schedules where open_task_id = tasks.id)`,
    reason: 'its schedule has not recorded its outcome yet',
  },
  {
    condition: sql`exists (select 1 from worktrees where task_id = tasks.id and state <> 'discarded')`,
    reason: 'its worktree has changes. Discard them: svc tasks discard ID',
  },
  {
    condition: sql`exists (select 1 from tasks as parents where parents.id = tasks.parent_id
      and parents.status in ('pending', 'queued', 'in_progress'))`,
    reason: 'it is a candidate of a task that has not finished',
  },
];

/** Such a task is kept by retention; a user may delete it. */
export const taskInterests: readonly TaskTie[] = [
  ...taskTies,
  {
    condition: sql`exists (select 1 from dead_letters where task_id = tasks.id and status = 'pending')`,
    reason: 'its dead letter is pending',
  },
  {
    condition: sql`exists (select 1 from notify_deliveries where task_id = tasks.id and ended_at is null)`,
    reason: 'its notification is not delivered yet',
  },
  {
    condition: sql`exists (select 1 from source_comments where task_id = tasks.id and ended_at is null)`,
    reason: 'the comment at its source is not written yet',
  },
];

/** Whether retention keeps the task of the row `tasks`, and its workspace. */
export const isTaskNeeded = sql<SqlBool>`(${sql.join(
  taskInterests.map(({ condition }) => condition),
  sql` or `,
)})`;

/** Tables whose rows are removed with their task, with the column of its id. */
export const taskBelongings = [
  ['dead_letters', 'task_id'],
  ['gateway_requests', 'task_id'],
  ['source_claims', 'task_id'],
  ['source_comments', 'task_id'],
  ['agent_runs', 'task_id'],
  ['file_changes', 'task_id'],
  ['approvals', 'task_id'],
  ['allowed_tools', 'scope_id'],
  ['pull_requests', 'task_id'],
  ['follow_ups', 'task_id'],
  ['publications', 'task_id'],
] as const;
