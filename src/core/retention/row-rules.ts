import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { RetentionKey } from '../config/retention-settings.ts';
import type { Database } from '../storage/database.ts';
import { inBatches } from '../storage/in-batches.ts';
import { retriable } from '../tasks/task-states.ts';
import type { RetentionRule } from './retention-rule.ts';

interface RowKind {
  name: string;
  setting: RetentionKey;
  table: string;
  /** The column with the time that the retention counts from, indexed in a table that can grow large. */
  since: string | RawBuilder<string>;
  /** Further condition for the removal. */
  readonly may?: (before: string) => RawBuilder<SqlBool>;
}

/** Rows that are removed independently of tasks. Nothing pending or unsent is removed. */
export const rowKinds: readonly RowKind[] = [
  {
    name: 'dead letters',
    setting: 'retention.deadLettersDays',
    table: 'dead_letters',
    since: 'resolved_at',
    may: () => sql`status <> 'pending'`,
  },
  {
    name: 'pending dead letters',
    setting: 'retention.pendingDeadLettersDays',
    table: 'dead_letters',
    since: 'created_at',
    may: () => sql`status = 'pending'`,
  },
  {
    name: 'notifications',
    setting: 'retention.notificationsDays',
    table: 'notifications',
    since: 'created_at',
  },
  {
    name: 'gateway requests',
    setting: 'retention.gatewayRequestsDays',
    table: 'gateway_requests',
    since: 'created_at',
    may: (before) => sql`not exists (select 1 from tasks where tasks.id = gateway_requests.task_id
        and (status not in (${sql.join(retriable)}) or completed_at >= ${before}))
      and not exists (select 1 from notify_deliveries as delivery
        where delivery.task_id = gateway_requests.task_id and delivery.ended_at is null)`,
  },
  {
    name: 'gateway notifications',
    setting: 'retention.deliveriesDays',
    table: 'notify_deliveries',
    since: 'ended_at',
  },
  {
    name: 'approvals',
    setting: 'retention.approvalsDays',
    table: 'approvals',
    // An expired approval can be neither decided nor used.
    since: 'expires_at',
    may: () => sql`status <> 'pending'`,
  },
  {
    name: 'pushes that waited for an approval',
    setting: 'retention.approvalsDays',
    table: 'publications',
    since: 'requested_at',
    may: () => sql`not exists (select 1 from approvals where approvals.id = publications.id)`,
  },
  {
    name: 'kept changes of files',
    setting: 'retention.keptFilesDays',
    table: 'file_changes',
    since: 'created_at',
    may: () => sql`not exists (select 1 from tasks where tasks.id = file_changes.task_id
        and tasks.status not in ('completed', 'failed', 'cancelled'))`,
  },
  {
    name: 'finished schedules',
    setting: 'retention.tasksDays',
    table: 'schedules',
    since: 'updated_at',
    may: () => sql`status = 'done' and open_task_id is null`,
  },
  {
    name: 'used and expired invites',
    setting: 'retention.invitesDays',
    table: 'invites',
    since: sql<string>`coalesce(used_at, expires_at)`,
  },
  {
    name: 'archived memory sessions',
    setting: 'retention.memorySessionsDays',
    table: 'memory_sessions',
    since: 'archived_at',
    may: () => sql`status = 'archived'`,
  },
];

export const rowRule = (database: Database, kind: RowKind): RetentionRule => {
  const table = sql.table(kind.table);
  const since = typeof kind.since === 'string' ? sql.ref(kind.since) : kind.since;
  const isOld = (before: string) => sql`${since} < ${before} and ${kind.may?.(before) ?? sql`true`}`;
  return {
    name: kind.name,
    setting: kind.setting,
    remove: (before) =>
      inBatches(async (limit) => {
        const { rows } = await sql<{ id: string }>`select id from ${table}
          where ${isOld(before)} order by ${since} limit ${limit}`.execute(database.read);
        if (rows.length === 0) return 0;
        await database.write(({ db }) =>
          // The condition may no longer hold for rows that changed in the meantime.
          sql`delete from ${table} where id in (${sql.join(rows.map(({ id }) => id))})
            and ${isOld(before)}`.execute(db),
        );
        return rows.length;
      }),
    async count(before) {
      const { rows } = await sql<{ n: number }>`select count(*) as n from ${table}
        where ${isOld(before)}`.execute(database.read);
      return rows[0]?.n ?? 0;
    },
  };
};
