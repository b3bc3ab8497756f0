import { expect, it } from 'vitest';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { startDaemon } from '../../helpers/daemon.ts';

const DAY_MS = 86_400_000;

async function startWorld() {
  let offset = 0;
  const runtime = { ...systemRuntime, now: () => new Date(Date.now() + offset) };
  const daemon = await startDaemon({ runtime });
  const { app, client } = daemon;
  const counted = (list: { name: string; count: number }[], name: string) =>
    list.find((each) => each.name === name)?.count;
  return {
    app,
    client,
    later: (days: number) => (offset += days * DAY_MS),
    /** What a dry run says, and what is then removed. */
    async prune(name: string) {
      const { removed } = await client.data.prune({ body: { dryRun: true } });
      const before = counted(removed, name);
      expect(counted((await client.data.prune({ body: {} })).removed, name)).toBe(before);
      return before;
    },
    keptFor: async (setting: string) =>
      (await client.data.getUsage()).retention.filter((each) => each.setting === setting),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

it('invites are removed 30 days after they were used or expired', async () => {
  await using world = await startWorld();
  const { client } = world;
  const name = 'used and expired invites';
  const invite = async (expiresInDays: number) =>
    (await client.invites.create({ body: { role: 'user', expiresInDays } })).invite.id;
  const used = await invite(20);
  const expired = await invite(1);
  const open = await invite(30);
  await world.app.database.write(({ db }) => world.app.invites.use(db, used, 'user_ann'));
  const ids = async () => (await client.invites.list()).invites.map(({ id }) => id).sort();
  expect(await world.keptFor('retention.invitesDays')).toEqual([
    { name, setting: 'retention.invitesDays', days: 30 },
  ]);
  world.later(29);
  expect(await world.prune(name)).toBe(0);
  world.later(1.5);
  expect(await world.prune(name)).toBe(1);
  expect(await ids()).toEqual([expired, open].sort());
  world.later(1);
  expect(await world.prune(name)).toBe(1);
  expect(await ids()).toEqual([open]);
  await client.config.update({ params: { key: 'retention.invitesDays' }, body: { value: 0 } });
  world.later(1000);
  await world.app.retention.removeOld();
  expect(await ids()).toEqual([open]);
});

it('memory sessions are removed a year after they were archived; active ones stay', async () => {
  await using world = await startWorld();
  const { client } = world;
  const name = 'archived memory sessions';
  const create = async (title: string) =>
    (await client.memory.createSession({ body: { name: title } })).session.id;
  const active = await create('active');
  const archived = await create('archived');
  const total = async () => (await client.memory.listSessions({ query: {} })).total;
  world.later(400);
  await client.memory.archiveSession({ params: { id: archived } });
  expect(await world.keptFor('retention.memorySessionsDays')).toEqual([
    { name, setting: 'retention.memorySessionsDays', days: 365 },
  ]);
  world.later(364);
  expect(await world.prune(name)).toBe(0);
  expect(await total()).toBe(2);
  world.later(2);
  expect(await world.prune(name)).toBe(1);
  expect((await client.memory.listSessions({ query: {} })).sessions.map(({ id }) => id)).toEqual([active]);
});
