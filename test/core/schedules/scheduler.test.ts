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
  it('a schedule runs at its times, and not before', async () => {
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

  it('a schedule with one time runs once, and is finished', async () => {
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

  it('schedules set no timer in an idle daemon', async () => {
    await using world = await openScheduleWorld();
    world.scheduler.start();
    await world.timer.advance(0);
    expect(world.timer.waits()).toBeUndefined();
    await world.add();
    await world.timer.advance(0);
    expect(world.timer.waits()).toBe(MINUTE);
  });

  it('removing a schedule keeps its tasks', async () => {
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

describe('a daemon that starts late', () => {
  it.each([
    [0, 'run_once', 1, 0],
    [MINUTE, 'skip', 1, 0],
    [MINUTE + 1, 'skip', 0, 1],
    [MINUTE + 1, 'run_once', 1, 1],
    [DAY, 'skip', 1, 1],
    [DAY + 5 * MINUTE, 'skip', 0, 2],
    [10 * DAY + 5 * MINUTE, 'run_once', 1, 11],
  ] as const)(
    'a daemon that is late by %i ms with %s: %i run, %i missed',
    async (lateMs, catchUp, runs, missed) => {
      await using world = await openScheduleWorld();
      const { id } = await world.add({ catchUp });
      await world.restart(() => world.timer.advance(3 * HOUR + lateMs));
      expect(await world.tasksOf(id)).toHaveLength(runs);
      expect(await world.find(id)).toMatchObject({ run_count: runs, misfire_count: missed });
      if (runs > 0) await endLast(world, id);
      await runFor(world, id, 1);
      expect(await world.find(id)).toMatchObject({ run_count: runs + 1, misfire_count: missed });
    },
  );

  it('counts missed occurrences up to a limit, and starts one', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add({ cron: '* * * * * *' });
    await world.restart(() => world.timer.advance(365 * DAY));
    expect(await world.find(id)).toMatchObject({ run_count: 1, misfire_count: 100 });
    expect((await world.find(id)).next_run_at).toBe('2027-01-01T00:00:01.000Z');
  });

  it.each([
    ['run_once', 1],
    ['skip', 0],
  ] as const)(
    'with %s, a missed single time starts %i runs, and the schedule is finished',
    async (catchUp, runs) => {
      await using world = await openScheduleWorld();
      const { id } = await world.add({ cron: undefined, at: '2026-01-01T05:30:00Z', catchUp });
      await world.restart(() => world.timer.advance(DAY));
      expect(await world.tasksOf(id)).toHaveLength(runs);
      expect(await world.find(id)).toMatchObject({ status: 'done', misfire_count: 1 });
    },
  );

  it('does not catch up occurrences that were missed while paused', async () => {
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

describe('a changed clock', () => {
  it('a clock set ahead starts one occurrence within a minute', async () => {
    await using world = await openScheduleWorld();
    const { id } = await world.add();
    await world.timer.advance(HOUR);
    world.timer.setBy(30 * DAY);
    await world.timer.advance(MINUTE);
    expect(await world.find(id)).toMatchObject({ run_count: 1, misfire_count: 30 });
    expect((await world.find(id)).next_run_at).toBe('2026-01-31T03:00:00.000Z');
  });

  it.each([
    [2 * HOUR, 'running'],
    [2 * HOUR, 'off'],
    [DAY, 'running'],
    [DAY, 'off'],
  ])(
    'a clock set back by %i ms while the daemon is %s leaves intervals at their pace',
    async (ms, daemon) => {
      await using world = await openScheduleWorld();
      const { id } = await world.add({ cron: '*/10 * * * *', overlap: 'cancel_previous' });
      await world.timer.advance(DAY + HOUR + 3 * MINUTE);
      const before = (await world.runsOf(id)).length;
      if (daemon === 'off') await world.restart(() => world.timer.setBy(-ms));
      else world.timer.setBy(-ms);
      await world.timer.advance(30 * MINUTE);
      expect(await world.runsOf(id)).toHaveLength(before + 3);
      await world.timer.advance(ms + HOUR);
      expect(await world.runsOf(id)).toHaveLength(before + 3 + (ms + HOUR) / (10 * MINUTE));
      expect(await world.find(id)).toMatchObject({ misfire_count: 0 });
    },
  );

  it.each(['running', 'off'])(
    'a clock set back by two hours while the daemon is %s repeats no daily time that has just run',
    async (daemon) => {
      await using world = await openScheduleWorld();
      const { id } = await world.add();
      await world.timer.advance(3 * HOUR + 10 * MINUTE);
      await endLast(world, id);
      if (daemon === 'off') await world.restart(() => world.timer.setBy(-2 * HOUR));
      else world.timer.setBy(-2 * HOUR);
      await world.timer.advance(12 * HOUR);
      expect(await world.find(id)).toMatchObject({ run_count: 1, next_run_at: '2026-01-02T03:00:00.000Z' });
    },
  );

  it('a clock set back by two hours leaves a single time that is still to come', async () => {
    await using world = await openScheduleWorld();
    await world.timer.advance(4 * HOUR);
    const { id } = await world.add({ cron: undefined, at: '2026-01-01T05:00:00Z' });
    await world.timer.advance(MINUTE);
    world.timer.setBy(-2 * HOUR);
    await world.timer.advance(4 * HOUR);
    expect(await world.runsOf(id)).toEqual(['2026-01-01T05:00:00.000Z']);
  });

  it.each(['running', 'off'])(
    'a clock set back by more than a day while the daemon is %s restarts the schedule from now',
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

  it('a clock set back by more than a day keeps a single future time', async () => {
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

describe('a full disk at a due occurrence', () => {
  it('an occurrence waits on a full disk without a storm of retries', async () => {
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

it('a schedule that cannot start delays no other, and is retried', async () => {
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

describe('many due schedules', () => {
  it('many due schedules all run in pages, and other work continues between', async () => {
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
  }, 180_000);
});
