import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';

const withoutRights = sql`
  from webhooks
  join users on users.id = webhooks.owner_id
  join webhook_deliveries as delivery on delivery.webhook_id = webhooks.id and delivery.status = 'pending'
  left join tasks on tasks.id = delivery.task_id
  left join approvals on approvals.id = delivery.approval_id
  where (users.disabled_at is not null
    or (webhooks.sees_all = 1 and users.role <> 'admin' and (
      (delivery.task_id is not null and (tasks.id is null or tasks.owner_id <> webhooks.owner_id))
      or (delivery.approval_id is not null
        and (approvals.id is null or approvals.owner_id <> webhooks.owner_id)))))`;

/**
 * Fails pending deliveries that the webhook's user may no longer receive: the user was disabled, or the delivery is about
 * another user's task or approval and the user is no longer an administrator.
 */
export async function failUnauthorizedDeliveries(database: Database, at: string): Promise<void> {
  // Usually there are none, and then a start should not wait for a write.
  const { rows } = await sql`select 1 ${withoutRights} limit 1`.execute(database.read);
  if (rows.length === 0) return;
  await database.write(({ db }) =>
    sql`update webhook_deliveries
      set status = 'failed', next_attempt_at = null, ended_at = ${at},
        error = 'The owner of the webhook may no longer receive this event'
      where status = 'pending' and id in (select delivery.id ${withoutRights})`.execute(db),
  );
}
