import { expect, it } from 'vitest';
import { ada, ann, bob, openLearnedFixture } from './learned-fixture.ts';

const page = { limit: 50, offset: 0 };
const noConversation = { code: 'not_found', message: 'Conversation not found' };

it('lists memory sessions by owner and status, newest first', async () => {
  await using world = await openLearnedFixture();
  const { sessions } = world;
  const one = await sessions.create(ann, { name: 'One' });
  const two = await sessions.create(ann, { name: 'Two' });
  const other = await sessions.create(bob, { name: 'Other' });
  expect(one).toEqual({
    id: expect.stringMatching(/^memsess_/),
    name: 'One',
    userId: ann.userId,
    status: 'active',
    createdAt: '2026-01-01T00:00:00.000Z',
  });
  world.advanceDays(1);
  const archived = await sessions.archive(ann, one.id);
  expect(archived).toEqual({ ...one, status: 'archived', archivedAt: '2026-01-02T00:00:00.000Z' });
  expect(await sessions.list(ann, page)).toEqual({ sessions: [two, archived], total: 2, ...page });
  expect(await sessions.list(ann, { ...page, status: 'active' })).toMatchObject({
    sessions: [two],
    total: 1,
  });
  expect(await sessions.list(ann, { ...page, status: 'archived' })).toMatchObject({ sessions: [archived] });
  expect(await sessions.list(ann, { limit: 1, offset: 1 })).toMatchObject({ sessions: [archived], total: 2 });
  expect(await sessions.list(ada, page)).toMatchObject({ sessions: [other, two, archived], total: 3 });
});

it('archives a memory session once, by users who may see it', async () => {
  await using world = await openLearnedFixture();
  const { sessions } = world;
  const { id } = await sessions.create(ann, { name: 'One' });
  const hidden = { code: 'not_found', message: 'Memory session not found' };
  await expect(sessions.archive(bob, id)).rejects.toMatchObject(hidden);
  await expect(sessions.archive(ann, 'memsess_nothing')).rejects.toMatchObject(hidden);
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => sessions.archive(ada, id)));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(sessions.archive(ann, id)).rejects.toMatchObject({ code: 'wrong_state' });
});

it("creates a memory session for the user an administrator names, with that user's conversation", async () => {
  await using world = await openLearnedFixture();
  const { sessions } = world;
  await world.addConversation(ann, 'conv_ann');
  await world.addConversation(ada, 'conv_ada');
  const args = { name: 'One', userId: ann.userId };
  expect(await sessions.create(ada, { ...args, conversationId: 'conv_ann' })).toMatchObject({
    userId: ann.userId,
    conversationId: 'conv_ann',
  });
  expect(await sessions.create(ann, { ...args, conversationId: 'conv_ann' })).toBeDefined();
  for (const conversationId of ['conv_ada', 'conv_nothing'])
    await expect(sessions.create(ada, { ...args, conversationId })).rejects.toMatchObject(noConversation);
  await expect(sessions.create(bob, { name: 'One', conversationId: 'conv_ann' })).rejects.toMatchObject(
    noConversation,
  );
  const unknown = { code: 'not_found', message: 'User not found' };
  await expect(sessions.create(bob, args)).rejects.toMatchObject(unknown);
  await expect(sessions.create(ada, { name: 'One', userId: 'user_nobody' })).rejects.toMatchObject(unknown);
  expect((await sessions.list(ada, page)).total).toBe(2);
});

it('removes the first archived memory sessions at the limit and keeps active ones', async () => {
  await using world = await openLearnedFixture();
  const { sessions, database } = world;
  const other = await sessions.create(bob, { name: 'Other' });
  await sessions.archive(bob, other.id);
  const { id: young } = await sessions.create(ann, { name: 'Archived last' });
  const { id: old } = await sessions.create(ann, { name: 'Archived first' });
  await sessions.archive(ann, old);
  world.advanceDays(1);
  await sessions.archive(ann, young);
  const [row] = await database.read.selectFrom('memory_sessions').selectAll().execute();
  const active = { ...row, owner_id: ann.userId, status: 'active', archived_at: null };
  await database.write(async (transaction) => {
    for (let n = 2; n < 5000; n++)
      transaction.insertLater('memory_sessions', { ...active, id: `memsess_${n}` });
  });
  const idsOf = async (status: 'active' | 'archived') =>
    (await sessions.list(ann, { limit: 10_000, offset: 0, status })).sessions.map(({ id }) => id);
  await sessions.create(ann, { name: 'One more' });
  expect(await idsOf('archived')).toEqual([young]);
  await sessions.create(ada, { name: 'One more', userId: ann.userId });
  expect(await idsOf('archived')).toEqual([]);
  const full = {
    code: 'wrong_state',
    message: 'Limit reached: 5000 active memory sessions per user. Archive one first: svc memory sessions ls',
  };
  await expect(sessions.create(ann, { name: 'Too many' })).rejects.toMatchObject(full);
  await expect(sessions.create(ada, { name: 'Too many', userId: ann.userId })).rejects.toMatchObject(full);
  expect(await idsOf('active')).toHaveLength(5000);
  expect((await sessions.list(bob, page)).sessions).toHaveLength(1);
  await sessions.create(bob, { name: 'Of somebody else' });
  await sessions.archive(ann, 'memsess_2');
  await sessions.create(ann, { name: 'Has room again' });
  expect([await idsOf('active'), await idsOf('archived')]).toMatchObject([{ length: 5000 }, []]);
});

it('removes no memory session when too few are archived', async () => {
  await using world = await openLearnedFixture();
  const { sessions, database } = world;
  const { id } = await sessions.create(ann, { name: 'Archived' });
  await sessions.archive(ann, id);
  const [row] = await database.read.selectFrom('memory_sessions').selectAll().execute();
  const active = { ...row, status: 'active', archived_at: null };
  await database.write(async (transaction) => {
    for (let n = 0; n < 5000; n++)
      transaction.insertLater('memory_sessions', { ...active, id: `memsess_${n}` });
  });
  await expect(sessions.create(ann, { name: 'Too many' })).rejects.toMatchObject({ code: 'wrong_state' });
  expect((await sessions.list(ann, { ...page, status: 'archived' })).sessions).toMatchObject([{ id }]);
});
