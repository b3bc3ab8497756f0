import { describe, expect, it } from 'vitest';
import { aloneDaemon } from '../../../src/core/daemon-identity.ts';
import { NotificationService } from '../../../src/core/notifications/notification-service.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { ActiveRuns } from '../../../src/core/tasks/active-runs.ts';
import { DeadLetterStore } from '../../../src/core/tasks/dead-letter-store.ts';
import { TaskRecovery } from '../../../src/core/tasks/task-recovery.ts';
import { TaskScanStore } from '../../../src/core/tasks/task-scan-store.ts';
import type { ApprovalRow } from '../../../src/core/storage/rows/approvals.ts';
import type { NewTask } from '../../../src/core/tasks/task-columns.ts';
import { insertTasks, newTask, openStorage, type TestStorage } from '../../helpers/storage.ts';
import { openTaskService } from '../../helpers/task-service.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const inMs = (ms: number) => new Date(NOW + ms).toISOString();
const runtime = { ...systemRuntime, now: () => new Date(NOW) };

/** The recovery of a daemon of a cluster, on a machine that was started as said. */
async function recoveryOf(storage: TestStorage, id: string, boot = 'boot') {
  const { admission } = await openTaskService(storage, { runtime });
  // It has had contact with its database for long.
  const database = { ...storage.database, contactMs: () => 3_600_000 };
  return new TaskRecovery({
    ...storage,
    database,
    scan: new TaskScanStore(database),
    admission,
    runs: new ActiveRuns(),
    daemon: { ...aloneDaemon, id, isInCluster: true },
    cluster: { hasOthers: () => true, hasLostQueue: async () => false },
    bootId: async () => boot,
    deadLetters: new DeadLetterStore(database),
    notifications: new NotificationService({ ...storage, runtime }),
    runtime,
  });
}

/** A task that a worker has in its hands. */
const running = (id: string, leaseMs: number, change: Partial<NewTask> = {}) =>
  newTask(id, {
    status: 'in_progress',
    attempts: 1,
    fence: 1,
    lease_owner: 'dead/worker_1',
    lease_until: inMs(leaseMs),
    ...change,
  });

const pendingApproval: ApprovalRow = {
  id: 'appr_1',
  run_id: 'task_1',
  call_id: 'call_1',
  owner_id: 'user_owner',
  conversation_id: null,
  task_id: 'task_1',
  scope_id: 'task_1',
  tool: 'run_command',
  arguments: '{}',
  cwd: '/',
  danger: 'high',
  reason: 'A test',
  scripts: null,
  covers: null,
  covers_key: null,
  coverable: 0,
  diff: null,
  basis: null,
  edited: null,
  context: null,
  binding: 'binding',
  status: 'pending',
  decision: null,
  requested_at: inMs(-60_000),
  expires_at: inMs(60_000),
  decided_at: null,
  decided_by: null,
  denial_reason: null,
  decider: null,
  used_at: null,
};

const rowsOf = ({ database }: TestStorage) =>
  database.read.selectFrom('tasks').select(['id', 'status', 'crashes', 'suspect']).orderBy('id').execute();

describe('the claims of another daemon', () => {
  it('that died count together, though those that it made last are to expire later', async () => {
    await using storage = await openStorage();
    await insertTasks(storage, [running('task_1', -1000), running('task_2', 8000)]);
    const recovery = await recoveryOf(storage, 'daemon_b');
    await recovery.takeBackExpired(inMs(0));
    await recovery.takeBackExpired(inMs(10_000));
    // Either of them may have been it, so neither is held to be.
    expect(await rowsOf(storage)).toEqual([
      { id: 'task_1', status: 'queued', crashes: 0, suspect: 1 },
      { id: 'task_2', status: 'queued', crashes: 0, suspect: 1 },
    ]);
  });

  it('that lives say nothing of a crash: it only does not know one of them', async () => {
    await using storage = await openStorage();
    await insertTasks(storage, [running('task_1', -1000), running('task_2', 25_000)]);
    const recovery = await recoveryOf(storage, 'daemon_b');
    await recovery.takeBackExpired(inMs(0));
    expect(await rowsOf(storage)).toEqual([
      { id: 'task_1', status: 'queued', crashes: 0, suspect: 0 },
      { id: 'task_2', status: 'in_progress', crashes: 0, suspect: 0 },
    ]);
  });

  it('that died do not count where they only waited for a person', async () => {
    await using storage = await openStorage();
    await insertTasks(storage, [running('task_1', -1000)]);
    await storage.database.write(({ db }) => db.insertInto('approvals').values(pendingApproval).execute());
    const recovery = await recoveryOf(storage, 'daemon_b');
    await recovery.takeBackExpired(inMs(0));
    expect(await rowsOf(storage)).toEqual([{ id: 'task_1', status: 'queued', crashes: 0, suspect: 0 }]);
  });
});

it('a crash counts on each machine of a cluster, whichever of them was started meanwhile', async () => {
  await using storage = await openStorage();
  await (await recoveryOf(storage, 'daemon_a', 'boot of one')).recover();
  await (await recoveryOf(storage, 'daemon_b', 'boot of the other')).recover();
  await insertTasks(storage, [running('task_1', 20_000, { lease_owner: 'daemon_a/worker_1' })]);
  await (await recoveryOf(storage, 'daemon_a', 'boot of one')).recover();
  expect(await rowsOf(storage)).toEqual([{ id: 'task_1', status: 'queued', crashes: 1, suspect: 1 }]);
});

it('a task has no part in a crash where its machine itself was started again', async () => {
  await using storage = await openStorage();
  await (await recoveryOf(storage, 'daemon_a', 'the first boot')).recover();
  await insertTasks(storage, [running('task_1', 20_000, { lease_owner: 'daemon_a/worker_1' })]);
  await (await recoveryOf(storage, 'daemon_a', 'the second boot')).recover();
  expect(await rowsOf(storage)).toEqual([{ id: 'task_1', status: 'queued', crashes: 0, suspect: 0 }]);
});
