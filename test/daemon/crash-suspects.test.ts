import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { leaveRunning, runSql } from '../helpers/daemon-rows.ts';
import { memoryFolder } from '../helpers/memory-folder.ts';
import { follow, heldAdapter, until } from '../helpers/tasks.ts';

/** Ends the daemon as if it had died while these tasks run. */
async function crash(daemon: TestDaemon, ids: string[]): Promise<void> {
  await daemon.stop();
  await leaveRunning(daemon.home, ids);
}

async function startTasks(daemon: TestDaemon, count: number, maxAttempts = 3): Promise<string[]> {
  const ids = [];
  for (let index = 0; index < count; index++) {
    const body = { title: `${index}`, assignedAgent: 'test', maxAttempts };
    ids.push((await daemon.client.tasks.create({ body })).task.id);
  }
  return ids;
}
/** Starts tasks and lets the daemon crash several times while they run. */
async function crashLoop(crashes: number, count: number): Promise<{ home: string; ids: string[] }> {
  const home = memoryFolder();
  let ids: string[] = [];
  for (let crashed = 0; crashed < crashes; crashed++) {
    const held = heldAdapter();
    const daemon = await startDaemon({ home, extraAdapters: [held.adapter] });
    if (crashed === 0) ids = await startTasks(daemon, count);
    await held.started(0);
    await crash(daemon, ids);
  }
  return { home, ids };
}

const inProgress = async ({ client }: TestDaemon) =>
  (await client.tasks.list({ query: { status: 'in_progress' } })).tasks.map(({ id }) => id);

describe('after a crash with several tasks in flight', () => {
  it('the suspects run one at a time, beside other work, and none loses an attempt', async () => {
    const before = heldAdapter();
    const first = await startDaemon({ extraAdapters: [before.adapter] });
    const ids = await startTasks(first, 4);
    await before.started(3);
    await crash(first, ids);
    const held = heldAdapter();
    await using daemon = await startDaemon({ home: first.home, extraAdapters: [held.adapter] });
    await held.started(0);
    const [other = ''] = await startTasks(daemon, 1);
    await until(async () => expect(await inProgress(daemon)).toContain(other));
    expect(await inProgress(daemon)).toHaveLength(2);
    expect((await daemon.client.queue.getStatus()).pools).toContainEqual({
      name: 'suspects',
      slots: 1,
      running: 1,
      waiting: 3,
      users: 1,
    });
    for (let run = 0; run < 5; run++) (await held.started(run)).succeed();
    for (const id of ids) {
      const { task } = await follow(daemon.client, id);
      expect(task).toMatchObject({ status: 'completed', attempts: 1 });
    }
  });

  it('tasks that are suspects since several crashes still run one at a time', async () => {
    const { home } = await crashLoop(2, 3);
    const held = heldAdapter();
    await using daemon = await startDaemon({ home, extraAdapters: [held.adapter] });
    await held.started(0);
    expect((await daemon.client.queue.getStatus()).pools).toContainEqual(
      expect.objectContaining({ name: 'suspects', slots: 1, running: 1, waiting: 2 }),
    );
    expect(await inProgress(daemon)).toHaveLength(1);
  });

  it('a crash loop poisons none of them', async () => {
    const { home, ids } = await crashLoop(4, 5);
    const held = heldAdapter();
    await using daemon = await startDaemon({ home, extraAdapters: [held.adapter] });
    for (let run = 0; run < 5; run++) (await held.started(run)).succeed();
    for (const id of ids) expect((await follow(daemon.client, id)).task.status).toBe('completed');
  });
});

describe('a task that was alone in two crashes', () => {
  it('is poisoned, and its failure says which evidence', async () => {
    const held = heldAdapter();
    const first = await startDaemon({ extraAdapters: [held.adapter] });
    const ids = await startTasks(first, 1);
    await held.started(0);
    await crash(first, ids);
    const second = await startDaemon({ home: first.home, extraAdapters: [held.adapter] });
    await held.started(1);
    await crash(second, ids);
    await using daemon = await startDaemon({ home: first.home, extraAdapters: [held.adapter] });
    const { task } = await follow(daemon.client, ids[0] ?? '');
    expect(task).toMatchObject({ status: 'failed', error: { code: 'poison' } });
    expect(task.error?.message).toMatch(
      /^The daemon died 2 times while this task ran: no other task was running \(found .*; no other/,
    );
  });
});

it('a task with a single attempt never runs twice', async () => {
  const held = heldAdapter();
  const first = await startDaemon({ extraAdapters: [held.adapter] });
  const ids = await startTasks(first, 3, 1);
  await held.started(2);
  await crash(first, ids);
  await using daemon = await startDaemon({ home: first.home, extraAdapters: [held.adapter] });
  for (const id of ids)
    expect((await follow(daemon.client, id)).task).toMatchObject({
      status: 'failed',
      error: { code: 'worker_lost' },
    });
});

it('nothing speaks against a task where the machine itself was restarted', async () => {
  const held = heldAdapter();
  const first = await startDaemon({ extraAdapters: [held.adapter] });
  const ids = await startTasks(first, 1);
  await held.started(0);
  await crash(first, ids);
  await runSql(first, 'update tasks set crashes = 1, suspect = 1 where id = ?', ids[0] ?? '');
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  expect(await runSql(first, "select value from state where key like 'recovery_boot%'")).toEqual([
    { value: boot },
  ]);
  await runSql(first, "update state set value = 'another start' where key like 'recovery_boot%'");
  await using daemon = await startDaemon({ home: first.home, extraAdapters: [held.adapter] });
  (await held.started(1)).succeed();
  expect((await follow(daemon.client, ids[0] ?? '')).task.status).toBe('completed');
});
