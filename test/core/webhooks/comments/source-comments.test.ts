import { describe, expect, it } from 'vitest';
import type { Interference } from '../../../helpers/comment-vendors.ts';
import { githubError } from '../../../helpers/comment-apis.ts';
import { began, github, HOUR, jira, linear, MINUTE, openWorld, targets } from './comment-world.ts';

describe('the comment of a task', () => {
  it.each(targets)('at $provider is written when it starts, and edited when it ends', async (target) => {
    await using world = await openWorld();
    const { vendors, bus } = world;
    await world.addTask('task_1', target);
    await world.advance(HOUR);
    expect(vendors.requests).toEqual([]);
    await world.begin();
    await world.advance(MINUTE);
    expect(vendors.texts(target.provider)).toEqual([expect.stringContaining('svc is working on this')]);
    expect(await world.row()).toMatchObject({
      written: 'started',
      is_uncertain: 0,
      ended_at: null,
      attempts: 0,
    });
    await world.complete();
    await world.advance(MINUTE);
    const texts = vendors.texts(target.provider);
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('svc has finished this');
    expect(texts[0]).toContain('in 2 minutes 5 seconds');
    expect(texts[0]).toContain('the report');
    expect(texts[0]).toContain('svc:task_1');
    expect(await world.row()).toMatchObject({ written: 'completed', ended_at: '2026-01-01T01:01:00.000Z' });
    expect(vendors.writes()).toHaveLength(2);
    await world.comments.sweep();
    await world.advance(24 * HOUR);
    expect(vendors.requests).toHaveLength(2);
    // Nobody listens for nothing.
    expect(bus.has('task')).toBe(false);
  });

  it('says that it failed, with what went wrong, or that it was cancelled', async () => {
    await using world = await openWorld();
    for (const id of ['task_1', 'task_2']) await world.begin(await world.addTask(id));
    await world.fail('task_1');
    await world.move('task_2', 'cancel', { completed_at: new Date(began).toISOString() });
    await world.advance(MINUTE);
    const [failed, cancelled] = world.vendors.texts();
    expect(failed).toMatch(
      /^\*\*svc could not finish this\*\*\.\n\nIt took longer than it may\. \(timeout\)\n\n> It hung\n/,
    );
    expect(cancelled).toMatch(/^\*\*svc does not work on this any more\*\*: the task was cancelled\.\n/);
  });

  it('says that a person has to decide while one has to, and nothing of what it is about', async () => {
    await using world = await openWorld();
    await world.begin(await world.addTask());
    await world.advance(MINUTE);
    const row = await addApproval(world);
    await world.advance(MINUTE);
    expect(world.vendors.texts()).toEqual([expect.stringContaining('waits for a decision')]);
    expect(world.vendors.texts()[0]).not.toContain('rm -rf');
    await world.database.write(({ db }) => db.updateTable('approvals').set({ status: 'approved' }).execute());
    world.bus.emit('approval', { row: { ...row, status: 'approved' }, approval: {} as never });
    await world.advance(MINUTE);
    expect(world.vendors.texts()).toEqual([expect.stringContaining('is working on this')]);
    expect(world.vendors.writes()).toHaveLength(3);
  });

  it('skips what was overtaken before it was written', async () => {
    await using world = await openWorld();
    await world.addTask();
    let answers = 0;
    world.vendors.interfere = () => (answers++ < 1 ? 'down' : undefined);
    await world.begin();
    await world.advance();
    await addApproval(world);
    await world.complete();
    await world.advance(2 * MINUTE);
    // The first try was for nothing; what followed was looked for and then written at once as it had become.
    expect(world.vendors.texts()).toEqual([expect.stringContaining('svc has finished this')]);
    expect(world.vendors.writes().map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  it('is written at the end where that comes before the start was told', async () => {
    await using world = await openWorld();
    await world.addTask();
    await world.begin();
    await world.complete();
    await world.advance(MINUTE);
    expect(world.vendors.writes()).toHaveLength(1);
    expect(world.vendors.texts()[0]).toContain('svc has finished this');
  });

  it('stays as it is from one attempt to the next', async () => {
    await using world = await openWorld();
    await world.begin(await world.addTask());
    await world.advance(MINUTE);
    await world.move('task_1', 'postpone');
    await world.advance(MINUTE);
    await world.move('task_1', 'claim', { attempts: 2 });
    await world.advance(MINUTE);
    expect(world.vendors.writes()).toHaveLength(1);
  });

  it('goes on when its task is taken back from the dead letters', async () => {
    await using world = await openWorld();
    await world.begin(await world.addTask());
    await world.fail();
    await world.advance(MINUTE);
    expect(await world.row()).toMatchObject({ written: 'failed', ended_at: expect.any(String) });
    await world.move('task_1', 'revive', { attempts: 0, completed_at: null, error: null });
    await world.comments.sweep();
    await world.advance(MINUTE);
    expect(await world.row()).toMatchObject({ written: 'failed', ended_at: null });
    await world.begin();
    await world.advance(MINUTE);
    await world.complete();
    await world.advance(MINUTE);
    expect(world.vendors.texts()).toEqual([expect.stringContaining('svc has finished this')]);
  });

  it('that somebody removed is not written again', async () => {
    await using world = await openWorld();
    for (const [at, target] of targets.entries())
      await world.begin(await world.addTask(`task_${at}`, target));
    await world.advance(MINUTE);
    for (const comments of Object.values(world.vendors.comments)) comments.length = 0;
    for (const at of targets.keys()) await world.complete(`task_${at}`);
    await world.advance(24 * HOUR);
    for (const at of targets.keys())
      expect(await world.row(`task_${at}`)).toMatchObject({
        written: 'started',
        last_error: 'Somebody removed the comment',
        ended_at: expect.any(String),
      });
    expect(Object.values(world.vendors.comments)).toEqual([[], [], []]);
    expect(world.vendors.writes()).toHaveLength(6);
    expect(world.logged).toEqual([]);
  });

  it('is not written where comments are switched off meanwhile', async () => {
    const rules = { 'acme/*': { comments: false } };
    await using world = await openWorld({
      flags: { 'webhooks.codehost.rules': rules, 'webhooks.tracker_a.comments': false },
    });
    await world.begin(await world.addTask('task_1', github));
    await world.begin(await world.addTask('task_2', jira));
    await world.begin(await world.addTask('task_3', linear));
    await world.advance(MINUTE);
    for (const id of ['task_1', 'task_2'])
      expect(await world.row(id)).toMatchObject({ last_error: 'Comments are switched off' });
    expect(world.vendors.requests.map(({ vendor }) => vendor)).toEqual(['tracker_b']);
  });
});

describe('a comment that cannot be written', () => {
  it('is tried again after 30 s, 5 min, 30 min, 2 h and 12 h, then given up with a word in the log', async () => {
    await using world = await openWorld();
    world.vendors.interfere = () => ({ status: 502, body: '<html>' });
    await world.begin(await world.addTask());
    await world.complete();
    await world.advance(48 * HOUR);
    // Whether it arrived is looked up first, which fails as well.
    expect(world.vendors.requests.map(({ method }) => method)).toEqual(['POST', ...Array(5).fill('GET')]);
    expect(world.vendors.requests.map(({ atMs }) => (atMs - began) / 1000)).toEqual([
      0, 30, 330, 2130, 9330, 52_530,
    ]);
    expect(await world.row()).toMatchObject({
      written: null,
      last_error: 'GitHub answered 502',
      ended_at: expect.any(String),
    });
    expect(world.logged).toEqual([
      {
        level: 'warn',
        message: 'a comment at a source is given up',
        fields: { taskId: 'task_1', provider: 'codehost', reason: 'GitHub answered 502' },
      },
    ]);
    expect((await world.store.find('task_1'))?.status).toBe('completed');
  });

  it('at the start gets all tries again at the end', async () => {
    await using world = await openWorld();
    world.vendors.interfere = () => 'down';
    await world.begin(await world.addTask());
    await world.advance(24 * HOUR);
    expect(world.vendors.requests).toHaveLength(6);
    expect(await world.row()).toMatchObject({ ended_at: null, next_attempt_at: null, attempts: 6 });
    await world.comments.sweep();
    await world.advance(24 * HOUR);
    expect(world.vendors.requests).toHaveLength(6);
    await world.complete();
    await world.advance(HOUR);
    world.vendors.interfere = () => undefined;
    await world.advance(24 * HOUR);
    expect(world.vendors.texts()).toEqual([expect.stringContaining('svc has finished this')]);
    expect(world.logged).toEqual([]);
  });

  it.each([
    [githubError(403, 'Unable to create comment because issue is locked.'), /403: the account may not write/],
    [githubError(404, 'Not Found'), /404: it is gone, or/],
    [githubError(410, 'This issue was deleted'), /410/],
    [githubError(422, 'Validation Failed'), /answered 422/],
    [githubError(400, 'Problems parsing JSON'), /answered 400/],
  ])('for good ends there: %j', async (answer, reason) => {
    await using world = await openWorld();
    world.vendors.interfere = () => answer;
    await world.begin(await world.addTask());
    await world.advance(24 * HOUR);
    expect(world.vendors.requests).toHaveLength(1);
    expect(await world.row()).toMatchObject({
      last_error: expect.stringMatching(reason),
      is_uncertain: 0,
      ended_at: expect.any(String),
    });
    await world.complete();
    await world.advance(24 * HOUR);
    expect(world.vendors.requests).toHaveLength(1);
    expect(world.logged).toHaveLength(1);
  });

  it.each<[string, Interference, number]>([
    ['Retry-After', githubError(429, 'Too many', { 'retry-after': '90' }), 90],
    [
      'the time of the reset',
      githubError(403, 'API rate limit exceeded', {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(began / 1000 + 600),
      }),
      600,
    ],
    ['a minute', githubError(403, 'You have exceeded a secondary rate limit.'), 60],
  ])(
    'because there were too many waits for %s, and all of the account with it',
    async (_, answer, seconds) => {
      await using world = await openWorld();
      world.connections.tokens['other codehost'] = 'token-of-other';
      world.vendors.interfere = ({ authorization, atMs }) =>
        authorization.endsWith('other') || atMs >= began + seconds * 1000 ? undefined : answer;
      await world.begin(await world.addTask('task_1'));
      await world.begin(await world.addTask('task_2'));
      await world.database.write(async (transaction) => {
        const { store } = world;
        const head = await store.findHead('task_2', transaction.db);
        store.insert(transaction, { ...(await taskOf(world)), id: 'task_3', owner_id: 'other' }, []);
        expect(head).toBeDefined();
        world.comments.add(transaction, { taskId: 'task_3', ownerId: 'other', target: github });
      });
      await world.advance(seconds * 1000 - 1);
      expect(world.vendors.requests.map(({ authorization }) => authorization)).toEqual([
        'Bearer token-of-codehost',
        'Bearer token-of-other',
      ]);
      await world.advance(MINUTE);
      expect(world.vendors.texts()).toHaveLength(3);
      expect(world.vendors.requests).toHaveLength(4);
      expect(await world.row('task_1')).toMatchObject({ written: 'started', attempts: 0 });
    },
  );
});

describe('the right to write', () => {
  it('is asked for once more after a 401, and used where it is another', async () => {
    await using world = await openWorld();
    world.vendors.accepts = (authorization) => authorization === 'Bearer renewed';
    world.vendors.interfere = () => {
      world.connections.tokens['user_owner codehost'] = 'renewed';
      return undefined;
    };
    await world.begin(await world.addTask());
    await world.advance();
    expect(world.vendors.requests.map(({ authorization }) => authorization)).toEqual([
      'Bearer token-of-codehost',
      'Bearer renewed',
    ]);
    expect(await world.row()).toMatchObject({ written: 'started', attempts: 0 });
  });

  it('that is refused is waited for as long as the schedule goes', async () => {
    await using world = await openWorld();
    world.vendors.accepts = (authorization) => authorization === 'Bearer renewed';
    await world.begin(await world.addTask());
    await world.complete();
    await world.advance(HOUR);
    expect(world.vendors.requests).toHaveLength(4);
    expect(await world.row()).toMatchObject({ last_error: expect.stringContaining('401'), is_uncertain: 0 });
    world.connections.tokens['user_owner codehost'] = 'renewed';
    await world.advance(24 * HOUR);
    expect(world.vendors.texts()).toHaveLength(1);
    // After an answer there was nothing to look for.
    expect(world.vendors.requests.every(({ method }) => method === 'POST')).toBe(true);
  });

  it('is looked for when it is needed, and its absence ends the comment, not the task', async () => {
    await using world = await openWorld({ isUnconnected: true });
    await world.addTask('task_1');
    await world.addTask('task_2');
    await world.begin('task_1');
    await world.advance(MINUTE);
    expect(await world.row('task_1')).toMatchObject({
      last_error: 'There is nothing to write it with',
      ended_at: expect.any(String),
    });
    world.connections.tokens['user_owner codehost'] = 'since';
    await world.begin('task_2');
    await world.advance(MINUTE);
    expect(world.vendors.requests.map(({ authorization }) => authorization)).toEqual(['Bearer since']);
    expect(world.logged).toEqual([]);
  });
});

describe('many at once', () => {
  it('are written one after the other, each once, at the pace of the vendor', async () => {
    await using world = await openWorld();
    const ids = Array.from({ length: 1000 }, (_, at) => `task_${at}`);
    for (const id of ids) await world.addTask(id);
    await Promise.all(ids.map((id) => world.begin(id)));
    await Promise.all(ids.map((id) => world.complete(id)));
    let atOnce = 0;
    let most = 0;
    world.between.fetch = async (...request) => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      return world.vendors.fetch(...request).finally(() => atOnce--);
    };
    await world.advance(2000 * 1000);
    const { requests } = world.vendors;
    expect(new Set(world.vendors.texts().map((text) => /svc:(\w+)/.exec(text)?.[1])).size).toBe(1000);
    expect(requests).toHaveLength(1000);
    expect(most).toBe(1);
    const gaps = requests.slice(1).map(({ atMs }, at) => atMs - (requests[at]?.atMs ?? 0));
    expect(Math.min(...gaps)).toBe(1000);
    expect(world.bus.has('task')).toBe(false);
  }, 60_000);

  it('at three vendors do not wait for each other', async () => {
    await using world = await openWorld();
    world.vendors.interfere = ({ vendor }) => (vendor === 'codehost' ? 'hanging' : undefined);
    for (const [at, target] of targets.entries())
      await world.begin(await world.addTask(`task_${at}`, target));
    await world.advance(MINUTE);
    expect(await world.row('task_1')).toMatchObject({ written: 'started' });
    expect(await world.row('task_2')).toMatchObject({ written: 'started' });
  });
});

it('forgets comments that ended a month ago, and no other', async () => {
  await using world = await openWorld();
  for (const id of ['task_1', 'task_2']) await world.begin(await world.addTask(id));
  await world.complete('task_1');
  await world.advance(30 * 24 * HOUR);
  await world.comments.removeOld();
  expect(await world.row('task_1')).toBeDefined();
  await world.advance(MINUTE);
  await world.comments.removeOld();
  const left = await world.database.read.selectFrom('source_comments').select('task_id').execute();
  expect(left).toEqual([{ task_id: 'task_2' }]);
});

type World = Awaited<ReturnType<typeof openWorld>>;

async function taskOf({ store }: World) {
  const { seq: _, event_seq: __, ...task } = (await store.find('task_1')) ?? never();
  return task;
}

async function addApproval(world: World) {
  const row = {
    id: 'appr_1',
    run_id: 'run_1',
    call_id: 'call_1',
    owner_id: 'user_owner',
    conversation_id: null,
    task_id: 'task_1',
    scope_id: 'task_1',
    tool: 'run_command',
    arguments: '{"command":"rm -rf /"}',
    cwd: '/',
    danger: 'high',
    reason: 'rm -rf removes files',
    binding: 'b',
    status: 'pending',
    decision: null,
    requested_at: world.timer.now().toISOString(),
    expires_at: new Date(world.timer.now().getTime() + HOUR).toISOString(),
    decided_at: null,
    decided_by: null,
    used_at: null,
  };
  await world.database.write(({ db }) => db.insertInto('approvals').values(row).execute());
  world.bus.emit('approval', { row, approval: {} as never });
  return row;
}

const never = (): never => {
  throw new Error('There is no such task');
};
