import { sql } from 'kysely';
import type { App } from '../../../src/core/app.ts';

const tables = [
  'tasks',
  'task_events',
  'task_days',
  'removed_tasks',
  'idempotency_keys',
  'dead_letters',
  'notifications',
  'gateway_requests',
  'conversations',
  'messages',
  'webhook_deliveries',
  'inbound_deliveries',
  'approvals',
  'agent_runs',
  'audit_log',
] as const;
export type RowCounts = Record<(typeof tables)[number], number>;

/** How many rows of each kind there are. */
export async function rowCounts({ database }: App): Promise<RowCounts> {
  const counts: Partial<RowCounts> = {};
  for (const table of tables) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
      database.read,
    );
    counts[table] = rows[0]?.n ?? 0;
  }
  return counts as RowCounts;
}
