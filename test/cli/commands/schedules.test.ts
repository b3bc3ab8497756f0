import { beforeAll, describe, expect, it } from 'vitest';
import type { Schedule } from '../../../src/contract/schedules.ts';
import type { Task } from '../../../src/contract/task.ts';
import {
  formatAllZoned,
  formatZoned,
  formatZonedFully,
} from '../../../src/cli/commands/schedules/zoned-time.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';

let home: SvcHome;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  await home.svc(['daemon', 'start']);
  return () => home[Symbol.asyncDispose]();
});

const svc = (...args: string[]) => home.svc(args);
const add = async (...args: string[]) => {
  const { code, stdout, stderr } = await svc('schedules', 'add', ...args);
  expect(code, stderr).toBe(0);
  return stdout.trim();
};
const read = async (id: string) =>
  (JSON.parse((await svc('schedules', 'show', id, '--json')).stdout) as { schedule: Schedule }).schedule;
const line = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d\d-\d\d 03:00 \+0[12]:00 {3}in /;

describe('svc schedules add', () => {
  it('prints the ID, and on a terminal the next five occurrences in the time zone of the schedule', async () => {
    const words =
      'schedules add --tz Europe/Berlin --agent command --overlap queue --catch-up skip --max-failures 2 ' +
      '--label night --label disk --priority 1 --attempts 1 --cwd /tmp';
    const { code, stdout, stderr } = await svc(...words.split(' '), '0 3 * * *', 'check the backups');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sched_[0-9a-f-]{36}\n$/);
    const [title, ...lines] = stderr.trimEnd().split('\n');
    expect(title).toBe('Next runs (Europe/Berlin):');
    expect(lines).toHaveLength(5);
    for (const each of lines) expect(each.slice(2)).toMatch(line);
    expect(await read(stdout.trim())).toMatchObject({
      cron: '0 3 * * *',
      timezone: 'Europe/Berlin',
      name: 'check the backups',
      overlap: 'queue',
      catchUp: 'skip',
      maxFailures: 2,
      task: {
        title: 'check the backups',
        prompt: 'check the backups',
        assignedAgent: 'command',
        cwd: '/tmp',
        labels: ['night', 'disk'],
        priority: 1,
        maxAttempts: 1,
      },
    });
  });

  it('accepts one time in a readable form', async () => {
    const id = await add('--at', '2036-12-24 18:00', '--tz', 'UTC', '--title', 'Wish', 'a merry Christmas');
    expect(await read(id)).toMatchObject({
      at: '2036-12-24T18:00:00.000Z',
      name: 'Wish',
      task: { title: 'Wish', prompt: 'a merry Christmas' },
    });
  });

  it.each([
    [
      ['0', '3', '*', '*', '*', 'x'],
      2,
      /first argument must be a quoted cron expression.*svc schedules add "0 3 \* \* \*"/,
    ],
    [['0 3 * * *'], 2, /Missing prompt/],
    [['60 3 * * *', 'x'], 6, /cron: "60" is no minute\. It takes 0–59/],
    [['0 0 30 2 *', 'x'], 6, /never comes/],
    [['--at', '2020-01-01T00:00', 'x'], 6, /at: Expected a time in the future/],
    [['0 3 * * *', 'x', '--tz', 'Berlin'], 6, /timezone: Expected an IANA time zone/],
    [['0 3 * * *', 'x', '--overlap', 'quue'], 2, /Did you mean queue\?/],
    [['0 3 * * *', 'x', '--agent', 'comand'], 6, /There is no agent "comand"\. Did you mean command\?/],
  ])('%j exits with %i and prints the reason', async (args, code, why) => {
    const outcome = await svc('schedules', 'add', ...args);
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr).toMatch(why);
    expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('svc schedules', () => {
  it('lists, shows, pauses, resumes, runs and removes schedules', async () => {
    for (const id of (await svc('schedules', 'ls', '-q')).stdout.split('\n').filter(Boolean))
      await svc('schedules', 'rm', id);
    expect((await svc('schedules', 'ls')).stderr).toContain('No schedules. Create one: svc schedules add');
    const id = await add(
      '0 3 1 1 *',
      'echo done',
      '--agent',
      'command',
      '--tz',
      'Asia/Tokyo',
      '--name',
      'Yearly',
    );
    const short = id.slice('sched_'.length, -4);
    expect((await svc('schedules', 'ls')).stdout).toMatch(
      /^ID +NEXT RUN +TIME ZONE +LAST RUN +STARTED +SCHEDULE +NAME\nsched_\S+ +\d{4}-01-01 03:00 +Asia\/Tokyo +0 3 1 1 \* +Yearly\n$/,
    );

    expect(await svc('schedules', 'pause', short)).toMatchObject({
      stdout: `${id}\n`,
      stderr: `Schedule paused. Resume it: svc schedules resume ${id}\n`,
    });
    expect((await svc('schedules', 'ls', '--status', 'paused')).stdout).toMatch(/ paused +Asia\/Tokyo /);
    expect((await svc('schedules', 'ls', '--status', 'active')).stderr).toContain('No active schedules');
    const shown = await svc('schedules', 'show', short);
    expect(shown.stdout).toMatch(/Status +paused\nTimes +0 3 1 1 \*\nTime zone +Asia\/Tokyo\nRuns +0\n/);
    expect(shown.stderr).toContain(`svc schedules resume ${id}`);
    const resumed = await svc('schedules', 'resume', short);
    expect(resumed.stderr).toMatch(
      /Schedule resumed\. Next run: \w{3} \d{4}-01-01 03:00 \+09:00 \(Asia\/Tokyo\)\.\n/,
    );

    const run = await svc('schedules', 'run', short);
    const task = run.stdout.trim();
    expect(run.stderr).toContain(`svc tasks logs -f ${task}`);
    expect(await svc('tasks', 'wait', task)).toMatchObject({ code: 0 });
    expect(await read(id)).toMatchObject({ runCount: 1, lastTaskId: task });
    expect((await svc('schedules', 'show', short)).stdout).toMatch(
      /Last run +\w{3} [\d-]+ [\d:]+ \+09:00 {3}\d+ s ago\nLast task +task_\S+ {2}completed\nRuns +1\n/,
    );
    expect((await svc('tasks', 'ls', '--source', 'cron', '-q')).stdout).toBe(`${task}\n`);

    const removed = await svc('schedules', 'rm', short);
    expect(removed).toMatchObject({ code: 0, stdout: `${id}\n` });
    expect(await svc('schedules', 'rm', id)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`There is no schedule "${id}". See them: svc schedules ls`),
    });
    expect((await svc('tasks', 'show', task)).code).toBe(0);
  });

  it('reports an occurrence that waits for the one before', async () => {
    const id = await add('0 3 1 1 *', 'sleep 60', '--agent', 'command', '--overlap', 'queue');
    const first = (await svc('schedules', 'run', id)).stdout.trim();
    expect(await svc('schedules', 'run', id)).toMatchObject({
      code: 8,
      stdout: '',
      stderr: expect.stringContaining('The run starts once the previous one has finished.'),
    });
    await svc('schedules', 'rm', id);
    await svc('tasks', 'cancel', first);
  });

  it('shows the next times of a schedule or of a bare expression', async () => {
    const { stdout, stderr } = await svc('schedules', 'next', '--cron', '*/5 * * * *', '--tz', 'UTC');
    expect(stdout.trimEnd().split('\n')).toHaveLength(5);
    expect(stdout).toMatch(/^(\w{3} \d{4}-\d\d-\d\d \d\d:\d[05] \+00:00 {3}in \S.*\n){5}$/);
    expect(stderr).toBe('UTC\n');
    const id = await add('0 3 * * *', 'x', '--tz', 'Europe/Berlin', '--paused');
    const next = await svc('schedules', 'next', id, '--count', '7');
    expect(next.stdout.trimEnd().split('\n')).toHaveLength(7);
    for (const each of next.stdout.trimEnd().split('\n')) expect(each).toMatch(line);
    expect(next.stderr).toContain('The schedule is paused; these would be its next runs.');
    const json = JSON.parse((await svc('schedules', 'next', id, '--json')).stdout) as object;
    expect(json).toEqual({ timezone: 'Europe/Berlin', nextRuns: expect.any(Array) });
    expect((await svc('schedules', 'next')).code).toBe(2);
    expect((await svc('schedules', 'next', id, '--tz', 'UTC')).code).toBe(2);
  });

  it('completes the names of schedules', async () => {
    const id = await add('0 3 * * *', 'x', '--name', 'Completed');
    expect((await svc('__complete', '--', 'schedules', 'show', '')).stdout).toContain(`${id}\tCompleted`);
    expect((await svc('__complete', '--', 'schedules', 'add', '--overlap', '')).stdout).toContain(
      'cancel_previous\t',
    );
    expect((await svc('__complete', '--', 'schedules', 'add', '--tz', 'Europe/Ber')).stdout).toContain(
      'Europe/Berlin',
    );
  });
});

describe('svc run with an idempotency key', () => {
  const run = (...args: string[]) => svc('run', '--agent', 'command', '--idempotency-key', ...args);

  it('a repeated idempotency key waits for the first task and exits like it', async () => {
    const calls = ['night-1', '--json', '--', 'sleep 1; date +%s%N'];
    const [first, second] = await Promise.all([run(...calls), run(...calls)]);
    const third = await run(...calls);
    for (const { code, stderr } of [first, second, third]) expect(code, stderr).toBe(0);
    const tasks = [first, second, third].map(({ stdout }) => (JSON.parse(stdout) as { task: Task }).task);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(1);
    expect(new Set(tasks.map(({ result }) => result?.output)).size).toBe(1);
  });

  it('a repeated idempotency key fails like the first task, and is rejected for another task', async () => {
    for (let n = 0; n < 2; n++)
      expect((await run('night-2', '--attempts', '1', '--', 'exit 3')).code).toBe(1);
    expect(await run('night-2', '--attempts', '1', '--', 'exit 0')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('This idempotency key was used with another body'),
    });
  });
});

describe('formatting a time in a zone', () => {
  it('formats a time in a zone with its day and its offset', () => {
    expect(formatZonedFully('2026-12-24T17:00:00.000Z', 'Europe/Berlin')).toBe('Thu 2026-12-24 18:00 +01:00');
    expect(formatZonedFully('2026-12-24T17:00:00.000Z', 'UTC')).toBe('Thu 2026-12-24 17:00 +00:00');
    expect(formatZonedFully('2026-07-01T00:00:00.000Z', 'Australia/Lord_Howe')).toBe(
      'Wed 2026-07-01 10:30 +10:30',
    );
    expect(formatZoned('2026-12-24T17:00:20.000Z', 'Asia/Tokyo')).toBe('2026-12-25 02:00');
  });

  it('formats seconds when a time beside it has seconds', () => {
    expect(formatAllZoned(['2026-12-24T17:00:00.000Z', '2026-12-24T17:00:20.000Z'], 'UTC')).toEqual([
      'Thu 2026-12-24 17:00:00 +00:00',
      'Thu 2026-12-24 17:00:20 +00:00',
    ]);
  });
});
