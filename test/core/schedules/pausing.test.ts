import { describe, expect, it } from 'vitest';
import type { ScheduledTask } from '../../../src/contract/schedules.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { ada, ann, daily, openScheduleWorld, type ScheduleWorld } from './schedule-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const command: ScheduledTask = { ...daily.task, assignedAgent: 'command', prompt: 'true' };
const token = (scopes: ('tasks:write' | 'agents:command')[]): Caller => ({
  userId: ada.userId,
  role: 'user',
  token: { id: 'token_1', scopes },
});

/** The next run, ended so. */
async function runOnce(world: ScheduleWorld, id: string, move: 'complete' | 'fail' | 'cancel') {
  await world.toNext(id);
  await world.endTask((await world.find(id)).open_task_id ?? '', move);
}
const told = (world: ScheduleWorld, caller: Caller) =>
  world.notifications.list(caller, { limit: 50, offset: 0 }).then(({ notifications }) => notifications);

describe('a schedule with failures', () => {
  it('a schedule pauses after the configured failures in a row, and notifies once', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ maxFailures: 3, name: 'Nightly' });
    for (const move of ['fail', 'fail'] as const) await runOnce(world, id, move);
    expect(await told(world, ann)).toEqual([]);
    await runOnce(world, id, 'fail');
    const { last_task_id, ...row } = await world.find(id);
    expect(row).toMatchObject({
      status: 'paused',
      paused_reason: 'Its last 3 tasks failed',
      failure_count: 3,
      next_run_at: null,
      open_task_id: null,
    });
    expect(await told(world, ann)).toEqual([
      expect.objectContaining({
        type: 'schedule_paused',
        title: 'Schedule paused: Nightly',
        message: 'Its last 3 tasks failed',
        taskId: last_task_id,
        data: { scheduleId: id, failureCount: 3 },
      }),
    ]);
    await world.leap(10 * DAY);
    expect(await world.tasksOf(id)).toHaveLength(3);
  });

  it('a completed occurrence resets the failures, and a cancelled one does not count', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ maxFailures: 2 });
    for (const [move, failures] of [
      ['fail', 1],
      ['complete', 0],
      ['fail', 1],
      ['cancel', 1],
    ] as const) {
      await runOnce(world, id, move);
      expect(await world.find(id)).toMatchObject({ status: 'active', failure_count: failures });
    }
    await runOnce(world, id, 'fail');
    expect(await world.find(id)).toMatchObject({ status: 'paused', failure_count: 2 });
  });

  it('a schedule never pauses with a limit of 0 failures', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ maxFailures: 0 });
    for (let n = 0; n < 7; n++) await runOnce(world, id, 'fail');
    expect(await world.find(id)).toMatchObject({ status: 'active', failure_count: 7, run_count: 7 });
  });

  it('a schedule that pauses drops waiting occurrences', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ maxFailures: 1, overlap: 'queue' });
    for (let n = 0; n < 3; n++) await world.toNext(id);
    await world.endTask((await world.find(id)).open_task_id ?? '', 'fail');
    expect(await world.find(id)).toMatchObject({
      status: 'paused',
      paused_reason: 'Its last task failed',
      waiting_count: 0,
      skipped_count: 2,
    });
    expect(await world.tasksOf(id)).toHaveLength(1);
  });

  it('a schedule counts failures from while the daemon was off before it runs again', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ maxFailures: 1 });
    await world.toNext(id);
    const open = (await world.find(id)).open_task_id ?? '';
    await world.restart(async () => {
      await world.endTask(open, 'fail');
      world.timer.setBy(DAY);
    });
    expect(await world.find(id)).toMatchObject({ status: 'paused', run_count: 1 });
  });

  it('a resumed schedule starts from now, with its failures reset', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ maxFailures: 1 });
    await runOnce(world, id, 'fail');
    await world.leap(5 * DAY);
    const { pausedReason, ...schedule } = await world.schedules.change(ann, id, { active: true });
    expect(pausedReason).toBeUndefined();
    expect(schedule).toMatchObject({
      status: 'active',
      failureCount: 0,
      misfireCount: 0,
      nextRunAt: '2026-01-07T03:00:00.000Z',
    });
    await world.toNext(id);
    expect(await world.tasksOf(id)).toHaveLength(2);
  });
});

describe('the right to run commands in a schedule', () => {
  it.each([
    ['a plain user', ann],
    ['a token without the scope', token(['tasks:write'])],
  ])('refuses commands and folders in a schedule of %s, also in later changes', async (_, caller) => {
    await using world = await openScheduleWorld();
    const folder = { ...daily.task, cwd: '/tmp' };
    const { id } = await world.add({}, caller);
    for (const task of [command, folder]) {
      await expect(world.add({ task }, caller)).rejects.toMatchObject({ code: 'forbidden' });
      await expect(world.schedules.change(caller, id, { task })).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(await world.find(id)).toMatchObject({ may_command: 0 });
  });

  it.each([ada, token(['tasks:write', 'agents:command'])])(
    'each occurrence has the right to run commands of its schedule',
    async (caller) => {
      await using world = await openScheduleWorld();
      const { id } = await world.add({ task: command }, caller);
      await world.timer.advance(3 * HOUR);
      expect(await world.tasksOf(id)).toMatchObject([{ may_command: 1, owner_id: ada.userId }]);
    },
  );

  it.each([
    ['loses it', { role: 'user' }, 'Its owner may no longer run commands'],
    ['is closed', { disabled_at: '2026-01-01T00:00:00.000Z' }, 'The account of its owner is disabled'],
  ])('a schedule with commands pauses with a reason when the owner %s', async (_, change, reason) => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ task: command }, ada);
    await world.setUser(ada.userId, change);
    await world.timer.advance(3 * HOUR);
    expect(await world.tasksOf(id)).toEqual([]);
    expect(await world.find(id)).toMatchObject({ status: 'paused', paused_reason: reason, run_count: 0 });
    expect(await told(world, ada)).toMatchObject([{ type: 'schedule_paused', message: reason }]);
  });

  it('a schedule without commands continues when the owner loses the right to run them', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({}, ada);
    await world.setUser(ada.userId, { role: 'user' });
    await world.timer.advance(3 * HOUR);
    expect(await world.tasksOf(id)).toMatchObject([{ may_command: 0 }]);
    expect(await world.find(id)).toMatchObject({ status: 'active', may_command: 0, run_count: 1 });
  });

  it('a schedule without commands pauses when the account of its owner is disabled', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add();
    await world.setUser(ann.userId, { disabled_at: '2026-01-01T00:00:00.000Z' });
    await world.timer.advance(3 * HOUR);
    expect(await world.find(id)).toMatchObject({ status: 'paused', run_count: 0 });
  });

  it('a token without the right cannot run, change or resume a schedule with commands', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ task: command }, ada);
    const weak = token(['tasks:write']);
    const before = await world.find(id);
    for (const change of [{ cron: '* * * * *' }, { active: true }, { overlap: 'queue' as const }])
      await expect(world.schedules.change(weak, id, change)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(world.schedules.run(weak, id)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await world.find(id)).toEqual(before);
    // Stopping it needs none.
    expect((await world.schedules.change(weak, id, { active: false, name: 'Off' })).status).toBe('paused');
  });

  it('a schedule that a token without the right changes or runs does not have the right', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({}, ada);
    const weak = token(['tasks:write']);
    await world.schedules.run(weak, id);
    expect(await world.tasksOf(id)).toMatchObject([{ may_command: 0 }]);
    expect(await world.find(id)).toMatchObject({ may_command: 1 });
    await world.schedules.change(weak, id, { task: { ...daily.task, prompt: 'Else' } });
    expect(await world.find(id)).toMatchObject({ may_command: 0 });
  });

  it('an administrator cannot give the right to run commands to the schedule of another user', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add();
    await expect(world.schedules.change(ada, id, { task: command })).rejects.toMatchObject({
      code: 'forbidden',
      message: 'The owner of this schedule may not run commands',
    });
    await world.schedules.change(ada, id, { task: { ...daily.task, prompt: 'Else' } });
    expect(await world.find(id)).toMatchObject({ may_command: 0, owner_id: ann.userId });
  });
});

it('a schedule whose times are unreadable pauses, and stays in the list', async () => {
  await using world = await openScheduleWorld();
  const [{ id }, other] = [await world.add(), await world.add()];
  await world.tamper(id, { timezone: 'Nowhere/Gone' });
  expect((await world.schedules.list(ann, { limit: 50, offset: 0 })).total).toBe(2);
  await world.timer.advance(3 * HOUR);
  expect(await world.find(id)).toMatchObject({
    status: 'paused',
    paused_reason: expect.stringContaining('Its times can no longer be read'),
  });
  expect(await world.tasksOf(other.id)).toHaveLength(1);
});
