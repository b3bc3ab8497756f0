import { aloneDaemon } from '../../../src/core/daemon-identity.ts';
import { expect, it } from 'vitest';
import { ApprovalService } from '../../../src/core/approvals/approval-service.ts';
import { ApprovalStore } from '../../../src/core/approvals/approval-store.ts';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import { NotificationService } from '../../../src/core/notifications/notification-service.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { newApproval, unsigned } from '../../helpers/approvals.ts';
import { insertTasks, newTask } from '../../helpers/storage.ts';
import { openOutbox, webhookRow } from '../../helpers/webhooks.ts';

const call = newApproval({
  arguments: JSON.stringify({ command: 'npm test', apiKey: '••••(40 characters)' }),
  cwd: '/srv/shop',
  reason: 'npm runs other programs',
  binding: 'one',
});
const person = { userId: 'user_owner', role: 'user' } as const;

/** Approvals whose changes go to webhooks. */
async function openApprovals(options: { baseUrl?: string } = {}) {
  const world = await openOutbox(options);
  const { database, bus, outbox } = world;
  const clock = { now: new Date('2026-03-01T12:00:00.000Z') };
  const runtime = { ...systemRuntime, now: () => clock.now };
  const approvals = new ApprovalService({
    daemon: aloneDaemon,
    database,
    bus,
    outbox,
    runtime,
    store: new ApprovalStore(database),
    audit: new AuditLog(runtime, database.engine),
    notifications: new NotificationService({ database, bus, runtime }),
    ...unsigned(runtime),
    expireAfterMs: () => 600_000,
  });
  await world.addUser('user_owner');
  await insertTasks(world, [newTask('task_1', { title: 'Shop tests' })]);
  return {
    world,
    approvals,
    clock,
    told: async (webhookId = 'wh') =>
      (await world.deliveries())
        .filter(({ webhook_id }) => webhook_id === webhookId)
        .map(({ event, body, task_id, approval_id }) => ({
          event,
          task_id,
          approval_id,
          ...(JSON.parse(body) as { timestamp: string; payload: object }),
        })),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

it('notifies of a request, of the task that waits for it, and of the decision', async () => {
  await using open = await openApprovals({ baseUrl: 'https://svc.example/' });
  await open.world.addWebhooks(webhookRow('wh'));
  const { id } = await open.approvals.request(call);
  // The same call again joins the open request.
  await open.approvals.request(call);
  open.clock.now = new Date('2026-03-01T12:01:00.000Z');
  await open.approvals.decide(person, id, 'allow-once');
  await expect(open.approvals.decide(person, id, 'deny')).rejects.toThrow('already approved');
  const about = {
    id,
    taskId: 'task_1',
    taskTitle: 'Shop tests',
    tool: 'run_command',
    arguments: { command: 'npm test', apiKey: '••••(40 characters)' },
    danger: 'high',
    reason: 'npm runs other programs',
    cwd: '/srv/shop',
    expiresAt: '2026-03-01T12:10:00.000Z',
    link: `https://svc.example/approvals/${id}`,
  };
  const told = await open.told();
  expect(told.map(({ event, payload }) => [event, payload])).toStrictEqual([
    ['approval.requested', about],
    [
      'task.waiting',
      {
        id: 'task_1',
        title: 'Shop tests',
        reason: 'approval',
        message: 'run_command needs approval',
        until: '2026-03-01T12:10:00.000Z',
      },
    ],
    [
      'approval.decided',
      {
        ...about,
        status: 'approved',
        decision: 'allow-once',
        decidedAt: '2026-03-01T12:01:00.000Z',
        decidedBy: 'user_owner',
        decidedByName: 'user_owner',
      },
    ],
  ]);
  for (const each of told) expect(each).toMatchObject({ task_id: 'task_1', approval_id: id });
  expect(told.at(-1)?.timestamp).toBe('2026-03-01T12:01:00.000Z');
});

it('notifies once of an approval that expires, and of one whose run has finished', async () => {
  await using open = await openApprovals();
  await open.world.addWebhooks(webhookRow('wh', { events: '["approval.decided"]' }));
  const late = await open.approvals.request(call);
  open.clock.now = new Date('2026-03-01T12:11:00.000Z');
  await Promise.all([open.approvals.expire(), open.approvals.expire()]);
  const withdrawn = await open.approvals.request({
    ...call,
    binding: 'two',
    task_id: null,
    conversation_id: 'conv_1',
  });
  await open.approvals.expireForRun('run_1');
  const told = await open.told();
  expect(told.map(({ payload }) => payload)).toMatchObject([
    { id: late.id, status: 'expired', decision: null, decidedBy: null, taskId: 'task_1' },
    { id: withdrawn.id, status: 'expired', conversationId: 'conv_1' },
  ]);
  expect(told[1]).toMatchObject({ task_id: null, approval_id: withdrawn.id });
  expect(told[1]?.payload).not.toHaveProperty('taskId');
  expect(told[1]?.payload).not.toHaveProperty('link');
});

it('stores nothing of an approval that was not stored, or that has no subscriber', async () => {
  await using open = await openApprovals();
  await open.world.addWebhooks(
    webhookRow('wh', { events: '["task.failed"]' }),
    webhookRow('wh_other', { owner_id: 'user_other' }),
    webhookRow('wh_asked', { events: '["approval.requested"]' }),
  );
  for (let count = 0; count < 50; count++) await open.approvals.request({ ...call, binding: String(count) });
  await expect(open.approvals.request({ ...call, binding: 'one too many' })).rejects.toThrow(
    'wait for an approval',
  );
  expect(await open.told('wh_asked')).toHaveLength(50);
  expect(await open.world.deliveries()).toHaveLength(50);
});

it('people with a text webhook are not told twice that an approval is needed', async () => {
  await using open = await openApprovals();
  await open.world.addWebhooks(
    webhookRow('wh', { format: 'text' }),
    webhookRow('wh_waits', { format: 'text', events: '["task.waiting"]' }),
  );
  await open.approvals.request(call);
  expect((await open.told()).map(({ event }) => event)).toEqual(['approval.requested']);
  expect((await open.told('wh_waits')).map(({ event }) => event)).toEqual(['task.waiting']);
});
