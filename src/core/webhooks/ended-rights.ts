import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';

const withoutRights = sql`
  from webhooks
  join users on users.id = webhooks.owner_id
  join webhook_deliveries as delivery on delivery.webhook_id = webhooks.id and delivery.status = 'pending'
  left join tasks on tasks.id = delivery.task_id
  where (users.disabled_at is not null
    or (webhooks.sees_all = 1 and users.role <> 'admin' and tasks.owner_id <> webhooks.owner_id))`;

/**
 * Gives up what waits for a webhook whose user may not be told of it any more: one that was disabled, or the tasks of
 * others where the user is no administrator now.
 */
export async function giveUpWithoutRights(database: Database, at: string): Promise<void> {
  // Nearly always there is nothing, and a start should not wait for the disk then.
  const { rows } = await sql`select 1 ${withoutRights} limit 1`.execute(database.read);
  if (rows.length === 0) return;
  await database.write(({ db }) =>
    sql`update webhook_deliveries
      set status = 'failed', next_attempt_at = null, ended_at = ${at},
        error = 'The owner of the webhook may no longer receive this event'
      where status = 'pending' and id in (select delivery.id ${withoutRights})`.execute(db),
  );
}
