import { describe, expect, it } from 'vitest';
import {
  addApproval,
  began,
  github,
  HOUR,
  jira,
  linear,
  MINUTE,
  openWorld,
  targets,
} from './comment-world.ts';

describe('the comment of a task', () => {
  it.each(targets)(
    'posts the comment at $provider when the task starts, and edits it when the task finishes',
    async (target) => {
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
      // Without waiting comments, nothing listens.
      expect(bus.has('task')).toBe(false);
    },
  );

  it('reports a failure with its error, and a cancellation', async () => {
    await using world = await openWorld();
    for (const id of ['task_1', 'task_2']) await world.begin(await world.addTask(id));
    await world.fail('task_1');
    await world.move('task_2', 'cancel', { completed_at: new Date(began).toISOString() });
    await world.advance(MINUTE);
    const [failed, cancelled] = world.vendors.texts();
    expect(failed).toMatch(
      /^\*\*svc could not finish this\*\*\.\n\nIt exceeded its time limit\. \(timeout\)\n\n> It hung\n/,
    );
    expect(cancelled).toMatch(/^\*\*svc stopped working on this\*\*: the task was cancelled\.\n/);
  });

  it('shows that an approval is pending, without its content', async () => {
    await using world = await openWorld();
    await world.begin(await world.addTask());
    await world.advance(MINUTE);
    const row = await addApproval(world);
    await world.advance(MINUTE);
    expect(world.vendors.texts()).toEqual([expect.stringContaining('waiting for a decision')]);
    expect(world.vendors.texts()[0]).not.toContain('rm -rf');
    await world.database.write(({ db }) => db.updateTable('approvals').set({ status: 'approved' }).execute());
    world.bus.emit('approval', { row: { ...row, status: 'approved' }, approval: {} as never });
    await world.advance(MINUTE);
    expect(world.vendors.texts()).toEqual([expect.stringContaining('is working on this')]);
    expect(world.vendors.writes()).toHaveLength(3);
  });

  it('skips a state that was superseded before it was written', async () => {
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

  it('posts only the final comment when the task finishes first', async () => {
    await using world = await openWorld();
    await world.addTask();
    await world.begin();
    await world.complete();
    await world.advance(MINUTE);
    expect(world.vendors.writes()).toHaveLength(1);
    expect(world.vendors.texts()[0]).toContain('svc has finished this');
  });

  it('updates the comment immediately when the state changes during a write', async () => {
    await using world = await openWorld();
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    world.between.fetch = async (...request) => {
      arrived.resolve();
      await released.promise;
      return world.vendors.fetch(...request);
    };
    await world.begin(await world.addTask());
    await world.advance();
    await arrived.promise;
    await world.complete();
    released.resolve();
    await world.advance(1000);
    expect(world.vendors.writes().map(({ method }) => method)).toEqual(['POST', 'PATCH']);
    expect(world.vendors.texts()[0]).toContain('svc has finished this');
  });

  it('a new state does not wait for the retry of an earlier one', async () => {
    await using world = await openWorld();
    await world.begin(await world.addTask());
    await world.advance(MINUTE);
    world.vendors.interfere = () => 'down';
    await addApproval(world);
    await world.advance(6 * MINUTE);
    expect(world.vendors.writes()).toHaveLength(4);
    world.vendors.interfere = () => undefined;
    await world.complete();
    await world.advance();
    expect(world.vendors.texts()[0]).toContain('svc has finished this');
  });

  it('looks for a comment that may exist at most half a minute after the next state', async () => {
    await using world = await openWorld();
    world.vendors.interfere = ({ method }) => (method === 'POST' ? 'lost' : 'down');
    await world.begin(await world.addTask());
    await world.advance(6 * MINUTE);
    world.vendors.interfere = () => undefined;
    await world.complete();
    await world.advance(29_999);
    expect(world.vendors.texts()[0]).toContain('svc is working on this');
    await world.advance(1);
    expect(world.vendors.texts()).toEqual([expect.stringContaining('svc has finished this')]);
  });

  it('does not change the comment between two attempts of the task', async () => {
    await using world = await openWorld();
    await world.begin(await world.addTask());
    await world.advance(MINUTE);
    await world.move('task_1', 'postpone');
    await world.advance(MINUTE);
    await world.move('task_1', 'claim', { attempts: 2 });
    await world.advance(MINUTE);
    expect(world.vendors.writes()).toHaveLength(1);
  });

  it('resumes the comment when its task is requeued from the dead letters', async () => {
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

  it('does not write a deleted comment again', async () => {
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
        last_error: 'The comment was deleted',
        ended_at: expect.any(String),
      });
    expect(Object.values(world.vendors.comments)).toEqual([[], [], []]);
    expect(world.vendors.writes()).toHaveLength(6);
    expect(world.logged).toEqual([]);
  });

  it('does not write a comment after comments were disabled', async () => {
    const rules = { 'acme/*': { comments: false } };
    await using world = await openWorld({
      flags: { 'webhooks.github.rules': rules, 'webhooks.jira.comments': false },
    });
    await world.begin(await world.addTask('task_1', github));
    await world.begin(await world.addTask('task_2', jira));
    await world.begin(await world.addTask('task_3', linear));
    await world.advance(MINUTE);
    for (const id of ['task_1', 'task_2'])
      expect(await world.row(id)).toMatchObject({ last_error: 'Comments are disabled' });
    expect(world.vendors.requests.map(({ vendor }) => vendor)).toEqual(['linear']);
  });
});

describe('many comments at once', () => {
  it('writes comments one after the other, each once, at the rate limit of the vendor', async () => {
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
  }, 180_000);

  it('comments at one vendor do not wait for another', async () => {
    await using world = await openWorld();
    world.vendors.interfere = ({ vendor }) => (vendor === 'github' ? 'hanging' : undefined);
    for (const [at, target] of targets.entries())
      await world.begin(await world.addTask(`task_${at}`, target));
    await world.advance(MINUTE);
    expect(await world.row('task_1')).toMatchObject({ written: 'started' });
    expect(await world.row('task_2')).toMatchObject({ written: 'started' });
  });
});

it('deletes comments that were finished a month ago, and no others', async () => {
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
