import type { App } from '../../../src/core/app.ts';

const MESSAGES = 6;
const DELIVERIES = 3;
const AUDITED = 10;

/** A day's rows of everything that tasks alone do not bring: as their features store them. */
export async function addRows(app: App, owner_id: string, now: Date, taskIds: string[]): Promise<void> {
  const at = now.toISOString();
  const day = at.slice(0, 10);
  const ids = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind}_${day}_${n}`);
  const text = 'A sentence of some length that a user wrote. '.repeat(20);
  await app.database.write(async (transaction) => {
    const { db } = transaction;
    for (const id of ids('audit', AUDITED))
      await app.audit.append(transaction, {
        kind: 'tool',
        tool: 'read_file',
        result: 'ok',
        arguments: { id, text },
      });
    await db
      .insertInto('gateway_requests')
      .values(
        taskIds.map((task_id) => ({
          id: `req_${task_id}`,
          task_id,
          owner_id,
          token_id: 't',
          created_at: at,
        })),
      )
      .execute();
    await db
      .insertInto('notifications')
      .values(
        ids('ntf', 5).map((id) => ({
          id,
          owner_id,
          type: 'task_failed',
          title: id,
          message: text,
          data: '{}',
          created_at: at,
        })),
      )
      .execute();
    const [conversation = ''] = ids('conv', 1);
    await db
      .insertInto('conversations')
      .values({
        id: conversation,
        owner_id,
        title: day,
        preset_id: 'assistant',
        message_count: MESSAGES,
        summary_seq: 0,
        turn_fence: 0,
        turn_stop: 0,
        created_at: at,
        updated_at: at,
      })
      .execute();
    await db
      .insertInto('messages')
      .values(
        ids('msg', MESSAGES).map((id, n) => ({
          id,
          conversation_id: conversation,
          seq: n + 1,
          role: 'user',
          content: text,
          created_at: at,
        })),
      )
      .execute();
    await db
      .insertInto('webhooks')
      .values({
        id: 'wh_rig',
        owner_id,
        sees_all: 0,
        url: 'https://example.com',
        events: '[]',
        status: 'active',
        format: 'json',
        secret: '',
        delivery_count: 0,
        failure_count: 0,
        created_at: at,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await db
      .insertInto('webhook_deliveries')
      .values(
        ids('whd', DELIVERIES).map((id) => ({
          id,
          webhook_id: 'wh_rig',
          event: 'task.completed',
          body: text,
          status: 'delivered',
          attempt: 1,
          history: '[]',
          at,
          created_at: at,
          ended_at: at,
        })),
      )
      .execute();
    await db
      .insertInto('inbound_deliveries')
      .values(
        ids('in', DELIVERIES).map((id) => ({
          id,
          provider: 'codehost',
          delivery_id: id,
          body_hash: id,
          event: 'issues',
          status: 'ignored',
          copies: 1,
          bytes: text.length,
          payload: text,
          received_at: at,
          last_received_at: at,
        })),
      )
      .execute();
    await db
      .insertInto('approvals')
      .values(
        ids('apr', 2).map((id) => ({
          id,
          run_id: id,
          call_id: id,
          owner_id,
          scope_id: conversation,
          conversation_id: conversation,
          tool: 'write_file',
          arguments: JSON.stringify({ text }),
          cwd: '/',
          danger: 'write',
          coverable: 0,
          reason: 'rig',
          binding: id,
          status: 'approved',
          requested_at: at,
          expires_at: at,
          decided_at: at,
        })),
      )
      .execute();
  });
}
