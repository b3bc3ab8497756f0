import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Schedule } from '../../../src/contract/schedules.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';
import { follow, heldAdapter, testAdapter, until } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

const now = '2026-11-22T02:00:00.000Z';
const daily = {
  cron: '0 3 * * *',
  timezone: 'Europe/Berlin',
  task: { title: 'Check', assignedAgent: 'test' },
};
const held = heldAdapter({ type: 'held' });

let daemon: TestDaemon;
let clock = Date.parse(now);
beforeAll(async () => {
  daemon = await startDaemon({
    runtime: { ...systemRuntime, now: () => new Date(clock) },
    extraAdapters: [testAdapter(async () => ({ output: 'done' })), held.adapter],
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const post = (body: object, path = '/api/schedules') => send(daemon, 'POST', path, body, daemon.headers);
const add = async (change: object = {}): Promise<Schedule> => {
  const { status, body } = await post({ ...daily, ...change });
  expect(status, JSON.stringify(body)).toBe(201);
  return (body as { schedule: Schedule }).schedule;
};
const complaintsOf = async (body: object, path?: string) => {
  const answer = await post(body, path);
  expect(answer.status).toBe(400);
  return (answer.body as { details: { path: string; message: string }[] }).details;
};

describe('POST /api/schedules', () => {
  it('returns the schedule with its next five occurrences', async () => {
    const schedule = await add({ name: 'Nightly' });
    expect(schedule).toEqual({
      id: expect.stringMatching(/^sched_[0-9a-f-]{36}$/),
      name: 'Nightly',
      cron: '0 3 * * *',
      timezone: 'Europe/Berlin',
      task: { title: 'Check', assignedAgent: 'test', priority: 3, labels: [] },
      overlap: 'skip',
      catchUp: 'run_once',
      maxFailures: 5,
      status: 'active',
      nextRunAt: '2026-11-23T02:00:00.000Z',
      nextRuns: [23, 24, 25, 26, 27].map((day) => `2026-11-${day}T02:00:00.000Z`),
      runCount: 0,
      skippedCount: 0,
      misfireCount: 0,
      failureCount: 0,
      waitingCount: 0,
      createdAt: now,
      updatedAt: now,
    });
    expect(await daemon.client.schedules.get({ params: { id: schedule.id } })).toEqual({ schedule });
  });

  it('creates one schedule for an idempotency key, also where its time has passed meanwhile', async () => {
    const once = (body: object, user: { headers: { cookie: string } } = daemon, key = 'once') =>
      send(daemon, 'POST', '/api/schedules', body, { ...user.headers, 'idempotency-key': key });
    const { cron: _, ...plain } = daily;
    const body = { ...plain, at: '2026-11-22T04:00', task: { ...daily.task, env: { TOKEN: 'x' } } };
    const before = (await daemon.client.schedules.list()).total;
    const [first, second] = await Promise.all([once(body), once(body)]);
    expect(new Set([first.status, second.status])).toEqual(new Set([200, 201]));
    expect(second.body).toEqual(first.body);
    clock = Date.parse('2026-11-22T03:30:00Z');
    const late = await once(body);
    clock = Date.parse(now);
    expect(late.status).toBe(200);
    expect((await daemon.client.schedules.list()).total).toBe(before + 1);
    expect((await once({ ...body, name: 'Other' })).status).toBe(409);
    const ann = await addUser(daemon, 'ann-once');
    expect((await once(daily, ann)).status).toBe(201);
    const { schedule } = first.body as { schedule: Schedule };
    await daemon.client.schedules.delete({ params: { id: schedule.id } });
    expect(await once(body)).toMatchObject({
      status: 409,
      body: { error: 'The schedule of this idempotency key was deleted' },
    });
    await ann.client.schedules.delete({
      params: { id: (await ann.client.schedules.list()).schedules[0]?.id ?? '' },
    });
  });

  it('a schedule defaults to the title as its name and the time zone of the daemon', async () => {
    const { name, timezone } = await add({ timezone: undefined });
    expect(name).toBe('Check');
    expect(timezone).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  });

  it.each([
    ['2026-12-24T18:00', '2026-12-24T17:00:00.000Z'],
    ['2026-12-24T18:00-05:00', '2026-12-24T23:00:00.000Z'],
    ['2026-12-24T18:00:00Z', '2026-12-24T18:00:00.000Z'],
  ])('accepts a single time: %s', async (at, moment) => {
    const { cron: _, ...once } = daily;
    const { status, body } = await post({ ...once, at });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      schedule: { at: moment, nextRunAt: moment, nextRuns: [moment], status: 'active' },
    });
  });

  it.each([
    [{ cron: '61 * * * *' }, 'cron', '"61" is no minute. It takes 0–59'],
    [{ cron: '0 0 30 2 *' }, 'cron', '"0 0 30 2 *" never comes'],
    [{ cron: ' ' }, 'cron', ''],
    [{ cron: undefined }, 'cron', 'Give either cron or at'],
    [{ at: '2026-12-24T18:00' }, 'cron', 'Give either cron or at'],
    [{ cron: undefined, at: '2026-11-22T02:00:00Z' }, 'at', 'in the future'],
    [{ cron: undefined, at: 'tomorrow' }, 'at', 'Expected an ISO 8601 date-time'],
    [{ cron: undefined, at: '2027-02-29T10:00' }, 'at', 'Expected an ISO 8601 date-time'],
    [{ cron: undefined, at: '2027-03-28T02:30' }, 'at', 'There is no 2027-03-28T02:30 in Europe/Berlin'],
    [{ timezone: 'Berlin' }, 'timezone', 'Expected an IANA time zone'],
    [{ timezone: '+01:00' }, 'timezone', 'Expected an IANA time zone'],
    [{ overlap: 'both' }, 'overlap', ''],
    [{ maxFailures: -1 }, 'maxFailures', ''],
    [{ task: { prompt: 'No title' } }, 'task.title', ''],
  ])('rejects the schedule %j', async (change, path, message) => {
    expect(await complaintsOf({ ...daily, ...change })).toEqual([
      { path, message: expect.stringContaining(message) },
    ]);
  });

  it('ignores a source in the task of a schedule', async () => {
    const task = { ...daily.task, source: 'codehost', sourceId: 'x', idempotencyKey: 'y' };
    expect((await add({ task })).task).toEqual((await add()).task);
  });

  it('limits a user to five hundred schedules', async () => {
    const ann = await addUser(daemon, 'ann');
    const { schedule } = await ann.client.schedules.create({ body: daily });
    const row = await daemon.app.database.read
      .selectFrom('schedules')
      .selectAll()
      .where('id', '=', schedule.id)
      .executeTakeFirstOrThrow();
    await daemon.app.database.write(async (transaction) => {
      for (let n = 1; n < 500; n++) transaction.insertLater('schedules', { ...row, id: `sched_more_${n}` });
    });
    await expect(ann.client.schedules.create({ body: daily })).rejects.toMatchObject({
      status: 400,
      message: 'Limit reached: 500 schedules per user. Remove one first: svc schedules ls',
    });
    await ann.client.schedules.delete({ params: { id: 'sched_more_7' } });
    await ann.client.schedules.create({ body: daily });
    await daemon.app.database.write(({ db }) =>
      db.deleteFrom('schedules').where('owner_id', '=', 'user_ann').execute(),
    );
  });
});

describe('POST /api/schedules/preview', () => {
  it('returns the next times and stores nothing', async () => {
    const { total } = await daemon.client.schedules.list();
    expect(
      await daemon.client.schedules.preview({ body: { cron: '30 2 * * *', timezone: 'UTC', count: 2 } }),
    ).toEqual({ timezone: 'UTC', nextRuns: ['2026-11-22T02:30:00.000Z', '2026-11-23T02:30:00.000Z'] });
    expect((await daemon.client.schedules.list()).total).toBe(total);
  });

  it('the preview rejects what a schedule rejects', async () => {
    const path = '/api/schedules/preview';
    expect(await complaintsOf({ cron: '0 0 30 2 *' }, path)).toMatchObject([{ path: 'cron' }]);
    expect(await complaintsOf({ at: '2020-01-01T00:00' }, path)).toMatchObject([{ path: 'at' }]);
    expect(await complaintsOf({ cron: '* * * * *', count: 101 }, path)).toMatchObject([{ path: 'count' }]);
  });
});

describe('GET /api/schedules', () => {
  it('lists schedules by their next time, those without one last', async () => {
    await daemon.app.database.write(({ db }) => db.deleteFrom('schedules').execute());
    const paused = await add({ active: false });
    const later = await add({ cron: '0 5 * * *' });
    const sooner = await add({ cron: '0 4 * * *' });
    const ids = async (query: object) =>
      (await daemon.client.schedules.list({ query })).schedules.map(({ id }) => id);
    expect(await ids({})).toEqual([sooner.id, later.id, paused.id]);
    expect(await ids({ status: 'paused' })).toEqual([paused.id]);
    expect(await ids({ limit: 1, offset: 1 })).toEqual([later.id]);
    expect(await daemon.client.schedules.list({ query: { limit: 1 } })).toMatchObject({ total: 3, limit: 1 });
  });
});

describe('PATCH /api/schedules/:id', () => {
  const change = async (id: string, body: object) => {
    const answer = await send(daemon, 'PATCH', `/api/schedules/${id}`, body, daemon.headers);
    return { status: answer.status, ...(answer.body as { schedule: Schedule; error?: string }) };
  };

  it('changes only the patched fields of a schedule', async () => {
    const before = await add();
    const task = { title: 'Else', labels: ['night'], priority: 1 };
    const { schedule } = await change(before.id, { name: 'New', task, overlap: 'queue' });
    expect(schedule).toEqual({ ...before, name: 'New', task, overlap: 'queue' });
  });

  it('a changed schedule runs at its new times', async () => {
    const { id } = await add();
    expect((await change(id, { cron: '0 6 * * *' })).schedule.nextRunAt).toBe('2026-11-22T05:00:00.000Z');
    expect((await change(id, { timezone: 'UTC' })).schedule.nextRunAt).toBe('2026-11-22T06:00:00.000Z');
    const once = (await change(id, { at: '2026-11-22T07:00' })).schedule;
    expect(once).toMatchObject({ at: '2026-11-22T07:00:00.000Z', nextRuns: ['2026-11-22T07:00:00.000Z'] });
    expect(once.cron).toBeUndefined();
    const moved = (await change(id, { timezone: 'Asia/Tokyo' })).schedule;
    expect(moved).toMatchObject({ at: once.at, timezone: 'Asia/Tokyo', nextRunAt: once.nextRunAt });
    expect((await change(id, { cron: '@daily' })).schedule.at).toBeUndefined();
  });

  it.each([
    [{}, 'Nothing to change'],
    [{ cron: '* * * *' }, 'has 4 fields'],
    [{ cron: '0 0 31 2 *' }, 'never comes'],
    [{ at: '2020-01-01T00:00' }, 'in the future'],
    [{ cron: '* * * * *', at: '2027-01-01T00:00' }, 'Give either cron or at'],
  ])('rejects the patch %j, also on a paused schedule', async (body, message) => {
    for (const active of [true, false]) {
      const before = await add({ active });
      const answer = await change(before.id, body);
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer)).toContain(message);
      expect((await daemon.client.schedules.get({ params: { id: before.id } })).schedule).toEqual(before);
    }
  });

  it('pauses and resumes a schedule', async () => {
    const before = await add();
    const { schedule: paused } = await change(before.id, { active: false });
    expect(paused).toMatchObject({ status: 'paused', nextRuns: [] });
    expect(paused.nextRunAt).toBeUndefined();
    expect((await change(before.id, { active: true })).schedule).toEqual(before);
  });

  it('resumes a finished schedule only with another time', async () => {
    const { id } = await add({ cron: undefined, at: '2026-11-22T03:30' });
    clock += 3_600_000;
    await daemon.app.scheduler.check();
    expect((await daemon.client.schedules.get({ params: { id } })).schedule.status).toBe('done');
    expect(await change(id, { active: true })).toMatchObject({
      status: 400,
      error: 'Its time has passed. Set another one to resume it.',
    });
    expect((await change(id, { active: false })).schedule.status).toBe('done');
    expect((await change(id, { timezone: 'UTC' })).schedule.status).toBe('done');
    expect((await change(id, { at: '2026-11-25T12:00' })).schedule).toMatchObject({
      status: 'active',
      nextRunAt: '2026-11-25T12:00:00.000Z',
      runCount: 1,
    });
    clock = Date.parse(now);
  });
});

describe('the occurrences of a schedule', () => {
  it('tasks of a schedule are normal tasks that name their source', async () => {
    const { id } = await add({ cron: '*/5 * * * *' });
    clock += 5 * 60_000;
    await daemon.app.scheduler.check();
    const { schedule } = await daemon.client.schedules.get({ params: { id } });
    const { task } = await follow(daemon.client, schedule.lastTaskId ?? '');
    expect(task).toMatchObject({ title: 'Check', source: 'cron', sourceId: id, status: 'completed' });
    await until(async () => {
      const { schedule: later } = await daemon.client.schedules.get({ params: { id } });
      expect(later).toMatchObject({
        runCount: 1,
        lastStatus: 'completed',
        nextRunAt: '2026-11-22T02:10:00.000Z',
      });
    });
    const { tasks } = await daemon.client.tasks.filter({ query: { source: 'cron' } });
    expect(tasks.map((each) => each.id)).toContain(task.id);
  });

  it('a schedule can be started by hand, and returns the task', async () => {
    const { id } = await add({ task: { title: 'Long', assignedAgent: 'held' } });
    const { task, schedule } = await daemon.client.schedules.run({ params: { id } });
    expect(task).toMatchObject({ title: 'Long', source: 'cron', sourceId: id });
    expect(schedule).toMatchObject({ id, runCount: 1, lastTaskId: task?.id });
    await expect(daemon.client.schedules.run({ params: { id } })).rejects.toMatchObject({
      status: 400,
      message: `The previous task has not finished: ${task?.id}`,
    });
    expect(await daemon.client.schedules.delete({ params: { id } })).toEqual({
      message: 'Schedule deleted. Its tasks are kept.',
    });
    (await held.started(0)).succeed();
    expect((await follow(daemon.client, task?.id ?? '')).task.status).toBe('completed');
    await expect(daemon.client.schedules.get({ params: { id } })).rejects.toMatchObject({ status: 404 });
  });

  it('cancel_previous stops the process of the previous occurrence', async () => {
    const { id } = await add({ overlap: 'cancel_previous', task: { title: 'Long', assignedAgent: 'held' } });
    const before = held.runs.length;
    const first = (await daemon.client.schedules.run({ params: { id } })).task;
    const run = await held.started(before);
    await daemon.client.schedules.run({ params: { id } });
    expect(run.run.signal.aborted).toBe(true);
    expect((await daemon.client.tasks.get({ params: { id: first?.id ?? '' } })).task.status).toBe(
      'cancelled',
    );
    (await held.started(before + 1)).succeed();
  });

  it('a schedule with a command needs the right to run commands', async () => {
    const bob = await addUser(daemon, 'bob');
    for (const task of [
      { title: 'Run', assignedAgent: 'command', prompt: 'true' },
      { title: 'Run', cwd: '/tmp' },
    ])
      await expect(bob.client.schedules.create({ body: { ...daily, task } })).rejects.toMatchObject({
        status: 403,
        message: 'Only an administrator may run commands',
      });
  });
});
