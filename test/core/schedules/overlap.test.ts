import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { ann, openScheduleWorld, type ScheduleWorld } from './schedule-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const hourly = { cron: '0 * * * *' };

const openTask = async (world: ScheduleWorld, id: string) => (await world.find(id)).open_task_id ?? '';
const statuses = async (world: ScheduleWorld, id: string) =>
  (await world.tasksOf(id)).map(({ status }) => status);

describe('an occurrence while the previous one is unfinished', () => {
  it('skip drops an overlapping occurrence, and the next one runs', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add(hourly);
    await world.timer.advance(3 * HOUR);
    expect(await world.find(id)).toMatchObject({ run_count: 1, skipped_count: 2, waiting_count: 0 });
    await world.endTask(await openTask(world, id));
    await world.timer.advance(HOUR);
    expect(await world.find(id)).toMatchObject({ run_count: 2, skipped_count: 2 });
  });

  it('queue delays an overlapping occurrence until the previous one finishes, one at a time', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ ...hourly, overlap: 'queue' });
    await world.timer.advance(3 * HOUR + MINUTE);
    expect(await world.find(id)).toMatchObject({ run_count: 1, waiting_count: 2, skipped_count: 0 });
    for (const waiting of [1, 0]) {
      await world.endTask(await openTask(world, id), waiting === 1 ? 'fail' : 'cancel');
      expect(await world.find(id)).toMatchObject({ run_count: 3 - waiting, waiting_count: waiting });
    }
    expect(await statuses(world, id)).toEqual(['failed', 'cancelled', 'queued']);
    await world.endTask(await openTask(world, id));
    expect(await world.find(id)).toMatchObject({ run_count: 3, open_task_id: null, waiting_count: 0 });
  });

  it('queue holds at most a hundred overlapping occurrences', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ cron: '* * * * *', overlap: 'queue' });
    await world.timer.advance(110 * MINUTE);
    expect(await world.find(id)).toMatchObject({ run_count: 1, waiting_count: 100, skipped_count: 9 });
    await expect(world.schedules.run(ann, id)).rejects.toMatchObject({
      code: 'wrong_state',
      message: '100 occurrences are already waiting',
    });
  });

  it('cancel_previous cancels the previous occurrence', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ ...hourly, overlap: 'cancel_previous' });
    await world.timer.advance(3 * HOUR);
    expect(await statuses(world, id)).toEqual(['cancelled', 'cancelled', 'queued']);
    expect(await world.find(id)).toMatchObject({ run_count: 3, failure_count: 0, skipped_count: 0 });
    const [first] = await world.tasksOf(id);
    const events = await world.storage.database.read.selectFrom('task_events').select('message').execute();
    expect(first?.status).toBe('cancelled');
    expect(events.map(({ message }) => message)).toContain('Cancelled: its schedule started the next task');
  });

  it('counts the outcome of an occurrence whose event was lost', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ ...hourly, overlap: 'queue' });
    await world.timer.advance(2 * HOUR);
    expect(await world.find(id)).toMatchObject({ run_count: 1, waiting_count: 1 });
    await world.restart(async () => world.endTask(await openTask(world, id), 'fail'));
    expect(await world.find(id)).toMatchObject({ run_count: 2, waiting_count: 0, failure_count: 1 });
  });

  it('queue waits for an occurrence of the previous process', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ ...hourly, overlap: 'queue' });
    await world.timer.advance(2 * HOUR);
    await world.restart();
    expect(await world.find(id)).toMatchObject({ run_count: 1, waiting_count: 1 });
    await world.endTask(await openTask(world, id));
    expect(await world.find(id)).toMatchObject({ run_count: 2, waiting_count: 0 });
  });

  it('a queued occurrence whose start failed on a full disk starts once there is space', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ ...hourly, overlap: 'queue' });
    await world.timer.advance(2 * HOUR);
    const open = await openTask(world, id);
    const { storage, timer } = world;
    // The end of the task is stored; what its schedule makes of it is not.
    const stop = storage.bus.on('task', ({ task }) => {
      if (task.status === 'completed') storage.database.write = unavailable;
    });
    const write = storage.database.write.bind(storage.database);
    await world.endTask(open);
    stop();
    storage.database.write = write;
    expect(await world.find(id)).toMatchObject({ run_count: 1, waiting_count: 1, open_task_id: open });
    expect(world.warnings).toEqual([expect.stringContaining('full')]);
    await timer.advance(5000);
    expect(await world.find(id)).toMatchObject({ run_count: 2, waiting_count: 0 });
  });
});

describe('waiting occurrences', () => {
  it.each([
    ['pausing', { active: false }],
    ['another overlap', { overlap: 'skip' }],
  ] as const)('waiting occurrences are dropped by %s', async (_, change) => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ ...hourly, overlap: 'queue' });
    await world.timer.advance(3 * HOUR);
    expect(await world.schedules.change(ann, id, change)).toMatchObject({ waitingCount: 0, skippedCount: 2 });
    await world.endTask(await openTask(world, id));
    expect(await world.tasksOf(id)).toHaveLength(1);
  });
});

describe('a manual occurrence', () => {
  it('a manual occurrence does not change the scheduled times', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add();
    const { task, schedule } = await world.schedules.run(ann, id);
    expect(task).toMatchObject({ source: 'cron', sourceId: id, title: 'Check' });
    expect(schedule).toMatchObject({
      runCount: 1,
      lastTaskId: task?.id,
      lastStatus: 'queued',
      nextRunAt: '2026-01-01T03:00:00.000Z',
    });
  });

  it('a paused or finished schedule can run by hand', async () => {
    await using world = await openScheduleWorld();
    const paused = await world.add({ active: false });
    expect((await world.schedules.run(ann, paused.id)).schedule.status).toBe('paused');
    const done = await world.add({ cron: undefined, at: '2026-01-01T01:00:00Z' });
    await world.timer.advance(HOUR);
    await world.endTask(await openTask(world, done.id));
    expect((await world.schedules.run(ann, done.id)).schedule).toMatchObject({ status: 'done', runCount: 2 });
  });

  it('skip refuses a manual occurrence while another is unfinished', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add();
    const { task } = await world.schedules.run(ann, id);
    await expect(world.schedules.run(ann, id)).rejects.toMatchObject({
      code: 'wrong_state',
      message: `The previous task has not finished: ${task?.id}`,
    });
    expect(await world.find(id)).toMatchObject({ run_count: 1, skipped_count: 0 });
    await world.timer.advance(3 * HOUR);
    expect(await world.find(id)).toMatchObject({ run_count: 1, skipped_count: 1 });
  });

  it('queue delays a manual occurrence, but not while the schedule is paused', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ overlap: 'queue' });
    await world.schedules.run(ann, id);
    const { task, schedule } = await world.schedules.run(ann, id);
    expect(task).toBeUndefined();
    expect(schedule).toMatchObject({ runCount: 1, waitingCount: 1 });
    await world.schedules.change(ann, id, { active: false });
    await expect(world.schedules.run(ann, id)).rejects.toMatchObject({ code: 'wrong_state' });
  });

  it('cancel_previous lets a manual occurrence cancel the previous one', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ overlap: 'cancel_previous' });
    await world.schedules.run(ann, id);
    await world.schedules.run(ann, id);
    expect(await statuses(world, id)).toEqual(['cancelled', 'queued']);
  });

  it('two simultaneous manual requests start one occurrence', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add();
    const both = await Promise.allSettled([world.schedules.run(ann, id), world.schedules.run(ann, id)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await world.tasksOf(id)).toHaveLength(1);
  });
});

const unavailable = async () => {
  throw new AppError('storage_full', 'The disk is full');
};
