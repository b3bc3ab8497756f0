import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/core/errors.ts';
import { linearError } from '../../../helpers/comment-apis.ts';
import { HOUR, linear, MINUTE, openWorld, targets, type World } from './comment-world.ts';

/** Comments of other users at the same places meanwhile. */
function chatter(world: World, count: number) {
  const at = world.timer.now().toISOString();
  const others = Array.from({ length: count }, (_, index) => ({
    id: String(5000 + index),
    createdAt: at,
    updatedAt: at,
  }));
  const document = { version: 1, type: 'doc', content: [] };
  for (const other of others) {
    world.vendors.comments.github.push({ ...other, on: 'acme/web/issues/12', body: 'me too' });
    world.vendors.comments.jira.push({ ...other, on: 'WEB-12', body: document });
  }
}
const ours = (world: World, provider: (typeof targets)[number]['provider']) =>
  world.vendors.texts(provider).filter((text) => text.includes('svc:task_1'));

describe.each(targets)('comments at $provider after a crash', (target) => {
  it.each(['lost', 'hanging'] as const)(
    'finds and edits a comment that was created without an answer (%s)',
    async (how) => {
      await using world = await openWorld();
      const { vendors } = world;
      let isFirst = true;
      vendors.interfere = () => {
        const isNow = isFirst;
        isFirst = false;
        return isNow ? how : undefined;
      };
      await world.addTask('task_1', target);
      chatter(world, 150);
      await world.begin();
      await world.advance(1000);
      chatter(world, 150);
      expect(await world.row()).toMatchObject({ comment_id: null, is_uncertain: 1 });
      await world.restart();
      expect(vendors.requests).toHaveLength(1);
      await world.advance(MINUTE);
      expect(ours(world, target.provider)).toHaveLength(1);
      await world.complete();
      await world.advance(HOUR);
      expect(ours(world, target.provider)).toEqual([expect.stringContaining('svc has finished this')]);
      expect(await world.row()).toMatchObject({ written: 'completed', is_uncertain: 0 });
    },
  );

  it('posts one comment, at whichever request the process dies', async () => {
    for (let at = 1; at <= 4; at++)
      for (const how of ['hanging', 'down'] as const) {
        await using world = await openWorld();
        const { vendors } = world;
        vendors.interfere = () => (vendors.requests.length === at ? how : undefined);
        await world.addTask('task_1', target);
        await world.restart();
        await world.begin();
        await world.advance(100);
        await world.restart();
        await world.advance(MINUTE);
        await world.complete();
        await world.advance(100);
        await world.restart();
        await world.advance(24 * HOUR);
        expect(ours(world, target.provider)).toEqual([expect.stringContaining('svc has finished this')]);
        expect((await world.row()).ended_at).not.toBeNull();
      }
  });

  it('posts one comment, at whichever write of the store the process dies', async () => {
    for (let at = 1; at <= 6; at++) {
      await using world = await openWorld();
      let writes = 0;
      world.between.write = () => (++writes === at ? new Promise(() => undefined) : Promise.resolve());
      await world.addTask('task_1', target);
      for (const step of [() => world.begin(), () => world.complete()]) {
        await step();
        await world.advance(100);
        world.rejoin();
        await world.advance(MINUTE);
      }
      world.rejoin();
      await world.advance(24 * HOUR);
      expect(ours(world, target.provider)).toEqual([expect.stringContaining('svc has finished this')]);
      expect((await world.row()).ended_at).not.toBeNull();
    }
  });
});

it('records that a comment may exist before it sends one', async () => {
  await using world = await openWorld();
  world.between.write = async () => {
    throw new AppError('storage_full', 'The disk is full');
  };
  await world.begin(await world.addTask());
  await world.advance(MINUTE);
  expect(world.vendors.requests).toEqual([]);
  world.between.write = async () => undefined;
  await expect.poll(() => world.row(), { timeout: 20_000 }).toMatchObject({ written: 'started' });
  expect(world.vendors.requests).toHaveLength(1);
});

it('stores the sent comment once the disk has space, and does not send it again', async () => {
  await using world = await openWorld();
  let isFull = false;
  world.between.write = async () => {
    if (isFull) throw new AppError('storage_full', 'The disk is full');
  };
  world.between.fetch = async (...request) => {
    isFull = true;
    setTimeout(() => (isFull = false), 50);
    return world.vendors.fetch(...request);
  };
  await world.begin(await world.addTask());
  await world.advance();
  await expect.poll(() => world.row(), { timeout: 20_000 }).toMatchObject({ written: 'started' });
  expect(world.vendors.requests).toHaveLength(1);
});

it('a refused search for a comment does not prove that it is missing', async () => {
  await using world = await openWorld();
  const { vendors } = world;
  vendors.interfere = ({ method }) =>
    vendors.requests.length === 1
      ? 'lost'
      : method === 'GET' && vendors.requests.length < 4
        ? { status: 429, headers: { 'retry-after': '60' }, body: {} }
        : undefined;
  await world.begin(await world.addTask());
  await world.advance(HOUR);
  expect(vendors.texts()).toHaveLength(1);
  expect(vendors.writes().map(({ method }) => method)).toEqual(['POST', 'PATCH']);
});

it('edits the existing comment when Linear already knows its id', async () => {
  await using world = await openWorld();
  await world.begin(await world.addTask('task_1', linear));
  await world.advance(MINUTE);
  // As after a backup of the data was put back.
  await world.database.write(({ db }) =>
    db.updateTable('source_comments').set({ comment_id: null, written: null }).execute(),
  );
  await world.complete();
  await world.advance(MINUTE);
  expect(world.vendors.texts('linear')).toEqual([expect.stringContaining('svc has finished this')]);
});

it('recognizes a rate limit that Linear sends with status 200', async () => {
  await using world = await openWorld();
  const { vendors, timer } = world;
  const reset = String(timer.now().getTime() + 5 * MINUTE);
  vendors.interfere = () =>
    vendors.requests.length > 1
      ? undefined
      : {
          ...linearError('ratelimited', 'RATELIMITED', 'Rate limit exceeded'),
          headers: { 'x-ratelimit-requests-reset': reset },
        };
  await world.begin(await world.addTask('task_1', linear));
  await world.advance(5 * MINUTE - 1);
  expect(vendors.requests).toHaveLength(1);
  await world.advance(1);
  expect(await world.row()).toMatchObject({ written: 'started', attempts: 0 });
});
