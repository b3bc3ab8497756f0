import { expect, it } from 'vitest';
import { newApproval } from '../../helpers/approvals.ts';
import { startDaemon } from '../../helpers/daemon.ts';
import { heldAdapter, until } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';
import { webhookRow } from '../../helpers/webhooks.ts';

const at = '2026-01-01T00:00:00.000Z';

it('sends no waiting deliveries of other users to a former administrator, and none to a disabled user', async () => {
  await using daemon = await startDaemon({ extraAdapters: [heldAdapter().adapter] });
  const { database, bus } = daemon.app;
  const boss = await addUser(daemon, 'boss', 'admin');
  const bob = await addUser(daemon, 'bob');
  const create = async ({ client }: typeof bob) =>
    (await client.tasks.create({ body: { title: 'Wait', assignedAgent: 'test' } })).task.id;
  const tasks = { own: await create(boss), others: await create(bob) };
  const approve = ({ caller }: typeof bob) =>
    daemon.app.approvals.request(
      newApproval({
        owner_id: caller.userId,
        conversation_id: 'conv_1',
        task_id: null,
        scope_id: 'conv_1',
        reason: 'x',
        binding: caller.userId,
      }),
    );
  const approvals = { ownApproval: (await approve(boss)).id, othersApproval: (await approve(bob)).id };
  const about = [
    ...Object.entries(tasks).map(([id, task_id]) => ({ id, task_id, approval_id: null })),
    ...Object.entries(approvals).map(([id, approval_id]) => ({ id, task_id: null, approval_id })),
  ];
  await database.write(async ({ db }) => {
    // Failing, so that everything waits.
    const row = webhookRow('wh_1', { owner_id: boss.caller.userId, sees_all: 1, status: 'failing' });
    await db.insertInto('webhooks').values(row).execute();
    for (const each of about)
      await db
        .insertInto('webhook_deliveries')
        .values({
          ...each,
          webhook_id: 'wh_1',
          event: 'task.created',
          body: '{}',
          status: 'pending',
          attempt: 0,
          history: '[]',
          status_code: null,
          response_body: null,
          error: null,
          duration_ms: null,
          at,
          next_attempt_at: at,
          created_at: at,
          ended_at: null,
        })
        .execute();
  });
  const waiting = async () =>
    (
      await database.read
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('status', '=', 'pending')
        .orderBy('id')
        .execute()
    ).map(({ id }) => id);
  const change = (set: { role?: string; disabled_at?: string }) =>
    database.write(async (transaction) => {
      await transaction.db.updateTable('users').set(set).where('id', '=', boss.caller.userId).execute();
      transaction.afterCommit(() => bus.emit('rights_changed', { userId: boss.caller.userId }));
    });
  expect(await waiting()).toEqual(['others', 'othersApproval', 'own', 'ownApproval']);
  await change({ role: 'user' });
  await until(async () => expect(await waiting()).toEqual(['own', 'ownApproval']));
  await change({ disabled_at: at });
  await until(async () => expect(await waiting()).toEqual([]));
});
