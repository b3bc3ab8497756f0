import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { ada, ann, openScheduleWorld, type ScheduleWorld } from './schedule-world.ts';
import { sized } from '../../helpers/long.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Lets the clock go to each next time in turn, and ends each run. */
async function runFor(world: ScheduleWorld, id: string, times: number) {
  for (let n = 0; n < times; n++) {
    await world.toNext(id);
    await endLast(world, id);
  }
}
async function endLast(world: ScheduleWorld, id: string, move?: 'complete' | 'fail' | 'cancel') {
  await world.endTask((await world.find(id)).last_task_id ?? '', move);
}

describe('a schedule', () => {
  it('runs at its times, and not before', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add();
    await world.timer.advance(3 * HOUR - 1);
    expect(await world.tasksOf(id)).toEqual([]);
    await world.timer.advance(1);
    const [task, ...others] = await world.tasksOf(id);
    expect(others).toEqual([]);
    expect(task).toMatchObject({ status: 'queued', owner_id: ann.userId, may_command: 0 });
    await world.endTask(task?.id ?? '');
    await world.timer.advance(DAY);
    expect(await world.runsOf(id)).toEqual(['2026-01-01T03:00:00.000Z', '2026-01-02T03:00:00.000Z']);
    expect(await world.find(id)).toMatchObject({
      run_count: 2,
      skipped_count: 0,
      misfire_count: 0,
      last_run_at: '2026-01-02T03:00:00.000Z',
      next_run_at: '2026-01-03T03:00:00.000Z',
    });
  });

  it('runs once at its one time, and is done', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ cron: undefined, at: '2026-01-01T05:30:00' }, ann);
    await world.timer.advance(9 * HOUR);
    // Without a zone of its own the world's is Berlin's; this one says UTC.
    expect(await world.runsOf(id)).toEqual(['2026-01-01T05:30:00.000Z']);
    expect(await world.find(id)).toMatchObject({ status: 'done', next_run_at: null, run_count: 1 });
    await endLast(world, id);
    await world.timer.advance(DAY);
    expect(await world.runsOf(id)).toHaveLength(1);
  });

  it('costs an idle daemon no timer', async () => {
    await using world = await openScheduleWorld();
    world.scheduler.start();
    await world.timer.advance(0);
    expect(world.timer.waits()).toBeUndefined();
    await world.add();
    await world.timer.advance(0);
    expect(world.timer.waits()).toBe(MINUTE);
  });

  it('leaves its tasks alone when it is removed', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add();
    await world.timer.advance(3 * HOUR);
    await world.schedules.remove(ann, id);
    const [task] = await world.tasksOf(id);
    expect(task).toMatchObject({ status: 'queued' });
    await world.endTask(task?.id ?? '');
    await world.timer.advance(DAY);
    expect(await world.tasksOf(id)).toHaveLength(1);
  });
});

describe('a daemon that comes late', () => {
  it.each([
    [0, 'run_once', 1, 0],
    [MINUTE, 'skip', 1, 0],
    [MINUTE + 1, 'skip', 0, 1],
    [MINUTE + 1, 'run_once', 1, 1],
    [DAY, 'skip', 1, 1],
    [DAY + 5 * MINUTE, 'skip', 0, 2],
    [10 * DAY + 5 * MINUTE, 'run_once', 1, 11],
  ] as const)('by %i ms with %s: %i run, %i missed', async (lateMs, catchUp, runs, missed) => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ catchUp });
    await world.restart(() => world.timer.advance(3 * HOUR + lateMs));
    expect(await world.tasksOf(id)).toHaveLength(runs);
    expect(await world.find(id)).toMatchObject({ run_count: runs, misfire_count: missed });
    if (runs > 0) await endLast(world, id);
    await runFor(world, id, 1);
    expect(await world.find(id)).toMatchObject({ run_count: runs + 1, misfire_count: missed });
  });

  it('counts what it missed up to a bound, and starts one run', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ cron: '* * * * * *' });
    await world.restart(() => world.timer.advance(365 * DAY));
    expect(await world.find(id)).toMatchObject({ run_count: 1, misfire_count: 100 });
    expect((await world.find(id)).next_run_at).toBe('2027-01-01T00:00:01.000Z');
  });

  it.each([
    ['run_once', 1],
    ['skip', 0],
  ] as const)('with %s of one time starts %i runs, and it is done', async (catchUp, runs) => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ cron: undefined, at: '2026-01-01T05:30:00Z', catchUp });
    await world.restart(() => world.timer.advance(DAY));
    expect(await world.tasksOf(id)).toHaveLength(runs);
    expect(await world.find(id)).toMatchObject({ status: 'done', misfire_count: 1 });
  });

  it('does not catch up what came while it was paused', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add();
    await world.schedules.change(ann, id, { active: false });
    await world.restart(() => world.timer.advance(10 * DAY));
    await world.schedules.change(ann, id, { active: true });
    await world.timer.advance(0);
    expect(await world.find(id)).toMatchObject({
      run_count: 0,
      misfire_count: 0,
      next_run_at: '2026-01-11T03:00:00.000Z',
    });
  });
});

describe('a clock that is set', () => {
  it('ahead: one run, found within a minute', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add();
    await world.timer.advance(HOUR);
    world.timer.setBy(30 * DAY);
    await world.timer.advance(MINUTE);
    expect(await world.find(id)).toMatchObject({ run_count: 1, misfire_count: 30 });
    expect((await world.find(id)).next_run_at).toBe('2026-01-31T03:00:00.000Z');
  });

  it.each([HOUR, DAY])('back by %i ms: nothing that ran runs again', async (ms) => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ cron: '*/10 * * * *', overlap: 'cancel_previous' });
    await world.timer.advance(DAY + HOUR);
    const before = await world.runsOf(id);
    world.timer.setBy(-ms);
    await world.timer.advance(ms);
    expect(await world.runsOf(id)).toEqual(before);
    await world.timer.advance(10 * MINUTE);
    expect(await world.runsOf(id)).toHaveLength(before.length + 1);
  });

  it.each(['running', 'off'])(
    'back by more than a day while the daemon is %s: as from now',
    async (daemon) => {
      await using world = await openScheduleWorld();
      const { id } = await world.add();
      const once = await world.add({ cron: undefined, at: '2026-01-01T12:00:00Z' });
      world.timer.setBy(3650 * DAY);
      await world.timer.advance(MINUTE);
      await endLast(world, id);
      expect((await world.find(id)).next_run_at).toMatch(/^2035-12-/);
      if (daemon === 'off') await world.restart(() => world.timer.setBy(-3650 * DAY));
      else {
        world.timer.setBy(-3650 * DAY);
        await world.timer.advance(MINUTE);
      }
      expect(await world.find(id)).toMatchObject({ run_count: 1, next_run_at: '2026-01-01T03:00:00.000Z' });
      await world.timer.advance(3 * HOUR);
      expect(await world.find(id)).toMatchObject({ run_count: 2 });
      // Its one run was given to the wrong clock; there is no second one.
      await world.timer.advance(DAY);
      expect(await world.find(once.id)).toMatchObject({ status: 'done', run_count: 1 });
    },
  );

  it('back by more than a day: one time that is still to come stays', async () => {
    await using world = await openScheduleWorld();
    world.timer.setBy(2 * DAY);
    const { id } = await world.add({ cron: undefined, at: '2026-01-05T12:00:00Z' });
    await world.timer.advance(0);
    world.timer.setBy(-2 * DAY);
    await world.timer.advance(MINUTE);
    expect((await world.find(id)).next_run_at).toBe('2026-01-05T12:00:00.000Z');
    await world.toNext(id);
    expect(await world.runsOf(id)).toEqual(['2026-01-05T12:00:00.000Z']);
  });
});

describe('a disk that is full when a run is due', () => {
  it('makes it wait, without a storm, until it is not', async () => {
    await using world = await openScheduleWorld();
    const { storage, timer } = world;
    const { id } = await world.add();
    const write = storage.database.write.bind(storage.database);
    storage.database.write = async () => {
      throw new AppError('storage_full', 'The disk is full');
    };
    await timer.advance(3 * HOUR + 12_000);
    expect(await world.find(id)).toMatchObject({ run_count: 0, next_run_at: '2026-01-01T03:00:00.000Z' });
    expect(timer.waits()).toBe(3000);
    // One for the run and one for the look, each of three times.
    expect(world.warnings).toHaveLength(6);
    storage.database.write = write;
    await timer.advance(3000);
    expect(await world.runsOf(id)).toEqual(['2026-01-01T03:00:15.000Z']);
    expect(await world.find(id)).toMatchObject({ run_count: 1, misfire_count: 0 });
  });
});

it('one schedule that cannot start holds up no other, and is tried again', async () => {
  await using world = await openScheduleWorld();
  const { storage, timer } = world;
  const ids = [(await world.add()).id, (await world.add()).id];
  const write = storage.database.write.bind(storage.database);
  storage.database.write = async () => {
    storage.database.write = write;
    throw new AppError('unavailable', 'Not now');
  };
  await timer.advance(3 * HOUR);
  const counts = () => Promise.all(ids.map(async (id) => (await world.find(id)).run_count));
  expect((await counts()).toSorted((a, b) => a - b)).toEqual([0, 1]);
  await timer.advance(5000);
  expect(await counts()).toEqual([1, 1]);
});

describe('many schedules that are due at once', () => {
  it('all run, a page at a time, and others get their turn between', async () => {
    const count = sized(2000, 10_000);
    await using world = await openScheduleWorld();
    const { id } = await world.add({}, ada);
    const first = await world.find(id);
    await world.storage.database.write(async (transaction) => {
      for (let n = 1; n < count; n++)
        transaction.insertLater('schedules', { ...first, id: `sched_${String(n).padStart(5, '0')}` });
    });
    world.timer.setBy(3 * HOUR);
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    await world.scheduler.check();
    isDone = true;
    const started = await world.storage.database.read
      .selectFrom('tasks')
      .select(({ fn }) => [
        fn.countAll<number>().as('n'),
        fn.count<number>('source_id').distinct().as('different'),
      ])
      .executeTakeFirstOrThrow();
    expect(started).toEqual({ n: count, different: count });
    const due = await world.storage.database.read
      .selectFrom('schedules')
      .select('id')
      .where((is) => is.or([is('run_count', '!=', 1), is('next_run_at', '!=', '2026-01-02T03:00:00.000Z')]))
      .execute();
    expect(due).toEqual([]);
    // No part of it holds up the event loop for more than one page.
    expect(turns).toBeGreaterThan(count / 100);
  }, 60_000);
});
