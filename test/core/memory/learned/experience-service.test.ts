import { describe, expect, it } from 'vitest';
import type { Origin } from '../../../../src/contract/experiences.ts';
import { ada, ann, bob, likely, openLearnedFixture } from './learned-fixture.ts';

const untrustedOrigin: Origin = { kind: 'task', userId: ann.userId, taskId: 'task_1', trusted: false };
const page = { limit: 50, offset: 0 };

describe('an experience', () => {
  it('stores an experience with its origin', async () => {
    await using world = await openLearnedFixture();
    const recorded = await world.record({ tags: ['login', 'login', 'tests'], successScore: 0.5 });
    expect(recorded).toEqual({
      ...likely,
      id: expect.stringMatching(/^exp_/),
      tags: ['login', 'tests'],
      successScore: 0.5,
      weight: 1,
      useCount: 0,
      origin: { kind: 'user', userId: ann.userId, trusted: true },
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect(await world.experiences.get(ann, recorded.id)).toEqual(recorded);
  });

  it('keeps an experience of a run started by untrusted text untrusted', async () => {
    await using world = await openLearnedFixture();
    const origin = { ...untrustedOrigin, conversationId: 'conv_1' };
    const { id } = await world.record({}, ann, origin);
    expect(await world.experiences.get(ann, id)).toMatchObject({ origin, sourceConversationId: 'conv_1' });
  });

  it('accepts only a source conversation of its owner', async () => {
    await using world = await openLearnedFixture();
    await world.addConversation(ann, 'conv_ann');
    for (const caller of [bob, ada])
      await expect(world.record({ sourceConversationId: 'conv_ann' }, caller)).rejects.toMatchObject({
        code: 'not_found',
        message: 'Conversation not found',
      });
    const own = await world.record({ sourceConversationId: 'conv_ann' });
    expect(own).toMatchObject({ sourceConversationId: 'conv_ann', origin: { conversationId: 'conv_ann' } });
  });

  it('rejects an experience with the same words', async () => {
    await using world = await openLearnedFixture();
    const { id } = await world.record();
    const refusal = { code: 'conflict', message: expect.stringContaining(id) };
    await expect(world.record()).rejects.toMatchObject(refusal);
    const same = {
      intent: '  FIX the flaky, login test!',
      solution: ['wait for the event – not for a time.'],
    };
    world.index.isBroken = true;
    await expect(world.record(same)).rejects.toMatchObject(refusal);
    world.index.isBroken = false;
    await expect(world.record({ ...same, type: 'error_recovery' })).resolves.toBeDefined();
    await expect(world.record(same, bob)).resolves.toBeDefined();
  });

  it('records one of a hundred identical concurrent experiences', async () => {
    await using world = await openLearnedFixture();
    const all = await Promise.allSettled(Array.from({ length: 100 }, () => world.record()));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await world.experiences.list(ann, page)).total).toBe(1);
  });

  it('rejects an experience with nearly the same words', async () => {
    await using world = await openLearnedFixture();
    const words = Array.from(
      { length: 60 },
      (_, n) => `word${String.fromCodePoint(97 + (n % 26))}${n > 25 ? 'x' : ''}${n > 51 ? 'y' : ''}`,
    );
    const { id } = await world.record({ solution: [words.join(' ')] });
    const nearly = { solution: [[...words.slice(0, -1), 'another'].join(' ')] };
    await expect(world.record(nearly)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(id),
    });
    await expect(
      world.record({ solution: [[...words.slice(0, 40), 'quite', 'another'].join(' ')] }),
    ).resolves.toBeDefined();
    // A number makes another thing of it.
    await expect(
      world.record({ solution: [[...words.slice(0, -1), '404'].join(' ')] }),
    ).resolves.toBeDefined();
    await expect(
      world.record({ solution: [[...words.slice(0, -1), '500'].join(' ')] }),
    ).resolves.toBeDefined();
    await expect(world.record({ ...nearly, type: 'error_recovery' })).resolves.toBeDefined();
    // Experiences of others stay private even if the index returns them.
    for (const [key, entry] of world.index.entries)
      world.index.entries.set(key, { ...entry, ownerId: bob.userId });
    await expect(world.record(nearly, bob)).resolves.toBeDefined();
  });

  it('replaces an untrusted experience with a trusted duplicate, not the reverse', async () => {
    await using world = await openLearnedFixture();
    const planted = await world.record({}, ann, untrustedOrigin);
    const own = await world.record();
    expect(own.origin.trusted).toBe(true);
    expect((await world.experiences.list(ann, page)).experiences.map(({ id }) => id)).toEqual([own.id]);
    expect([...world.index.entries.keys()]).toEqual([own.id]);
    await expect(world.experiences.get(ann, planted.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(world.record({}, ann, untrustedOrigin)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('replaces what an agent claimed with a verified duplicate, but never what a person said', async () => {
    await using world = await openLearnedFixture();
    const claim: Origin = {
      kind: 'task',
      userId: ann.userId,
      taskId: 'task_1',
      trusted: true,
      verified: false,
    };
    const claimed = await world.record({}, ann, claim);
    expect((await world.experiences.get(ann, claimed.id)).origin.verified).toBe(false);
    const verified = await world.record({}, ann, { ...claim, verified: true });
    expect(verified.origin.verified).toBe(true);
    await expect(world.experiences.get(ann, claimed.id)).rejects.toMatchObject({ code: 'not_found' });
    // Verified, but with untrusted text: in one thing better, in another worse.
    await expect(world.record({}, ann, { ...claim, verified: true, trusted: false })).rejects.toMatchObject({
      code: 'conflict',
    });
    const said = await world.record({}, bob);
    await expect(
      world.record({}, bob, { ...claim, userId: bob.userId, verified: true }),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect((await world.experiences.get(bob, said.id)).origin).not.toHaveProperty('verified');
  });

  it('limits a user to ten thousand experiences', async () => {
    await using world = await openLearnedFixture();
    const { id } = await world.record();
    const [row] = await world.database.read.selectFrom('experiences').selectAll().execute();
    await world.database.write(async (transaction) => {
      for (let n = 1; n < 10_000; n++)
        transaction.insertLater('experiences', { ...row, id: `exp_${n}`, content_key: `key ${n}` });
    });
    await expect(world.record({ intent: 'One more of them' })).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('Prune'),
    });
    await expect(world.record({}, bob)).resolves.toBeDefined();
    await world.experiences.remove(ann, id);
    await expect(world.record({ intent: 'One more of them' })).resolves.toBeDefined();
  });
});

describe('a list', () => {
  it('lists the highest weight first, then the newest', async () => {
    await using world = await openLearnedFixture();
    const [old, used, recent] = [
      await world.record({ intent: 'First wish' }),
      await world.record({ intent: 'Second wish' }),
      await world.record({ intent: 'Third wish' }),
    ];
    await world.experiences.use(ann, used.id);
    const { experiences, ...rest } = await world.experiences.list(ann, page);
    expect(experiences.map(({ id }) => id)).toEqual([used.id, recent.id, old.id]);
    expect(rest).toEqual({ total: 3, limit: 50, offset: 0 });
    const second = await world.experiences.list(ann, { limit: 1, offset: 1 });
    expect(second.experiences.map(({ id }) => id)).toEqual([recent.id]);
    expect(second.total).toBe(3);
  });

  it('filters by type, tag, weight and conversation', async () => {
    await using world = await openLearnedFixture();
    await world.addConversation(ann, 'conv_ann');
    const typed = await world.record({ type: 'error_recovery' });
    const tagged = await world.record({ intent: 'Tagged wish', tags: ['a"b', 'x'] });
    const talked = await world.record({ intent: 'Talked wish', sourceConversationId: 'conv_ann' });
    const heavy = await world.experiences.use(ann, talked.id);
    const ids = async (query: object) =>
      (await world.experiences.list(ann, { ...page, ...query })).experiences.map(({ id }) => id);
    expect(await ids({ type: 'error_recovery' })).toEqual([typed.id]);
    expect(await ids({ tag: 'a"b' })).toEqual([tagged.id]);
    expect(await ids({ tag: 'b' })).toEqual([]);
    expect(await ids({ minWeight: 1.05 })).toEqual([heavy.id]);
    expect(await ids({ minWeight: 2.5 })).toEqual([]);
    expect(await ids({ conversationId: 'conv_ann' })).toEqual([talked.id]);
    expect(await ids({ tag: "x' or 1=1 --" })).toEqual([]);
  });

  it('shows a user their own experiences and an administrator all, except in a search', async () => {
    await using world = await openLearnedFixture();
    const { id } = await world.record();
    expect(await world.experiences.list(bob, page)).toMatchObject({ experiences: [], total: 0 });
    expect(await world.experiences.list(ada, page)).toMatchObject({ total: 1 });
    for (const act of ['get', 'use', 'remove'] as const)
      await expect(world.experiences[act](bob, id)).rejects.toMatchObject({
        code: 'not_found',
        message: 'Experience not found',
      });
    expect(await world.experiences.get(ada, id)).toMatchObject({ useCount: 0 });
    expect((await world.experiences.search(ada, { q: 'login', limit: 5 })).experiences).toEqual([]);
    await world.experiences.remove(ada, id);
    await expect(world.experiences.get(ann, id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a search', () => {
  it('ranks experiences by score, and similar scores by weight', async () => {
    await using world = await openLearnedFixture();
    const one = await world.record({ intent: 'Login test fails alone' });
    const two = await world.record({ intent: 'Login test fails somewhere' });
    const unfit = await world.record({ intent: 'Login page looks odd', solution: ['Reload the styles'] });
    for (let n = 0; n < 50; n++) await world.experiences.use(ann, unfit.id);
    const search = async () =>
      (await world.experiences.search(ann, { q: 'login test fails', limit: 5 })).experiences;
    expect((await search()).map(({ id }) => id)).toEqual([two.id, one.id, unfit.id]);
    await world.experiences.use(ann, one.id);
    const found = await search();
    expect(found.map(({ id }) => id)).toEqual([one.id, two.id, unfit.id]);
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a));
    expect(found[0]?.score).toBeLessThanOrEqual(1);
    // Weight reaches also what the index itself would have left out.
    for (let n = 0; n < 3; n++) await world.experiences.use(ann, two.id);
    const first = await world.experiences.search(ann, { q: 'login test fails', limit: 1 });
    expect(first.experiences.map(({ id }) => id)).toEqual([two.id]);
  });

  it('an experience search returns no removed experiences and none of others, whatever the index finds', async () => {
    await using world = await openLearnedFixture();
    const gone = await world.record({ intent: 'Login one' });
    const foreign = await world.record({ intent: 'Login two' }, bob);
    const entries = [...world.index.entries.values()];
    await world.experiences.remove(ann, gone.id);
    await world.index.put(entries.map((entry) => ({ ...entry, ownerId: ann.userId })));
    expect((await world.index.search(ann.userId, 'login', 5)).found).toHaveLength(2);
    expect((await world.experiences.search(ann, { q: 'login', limit: 5 })).experiences).toEqual([]);
    expect((await world.experiences.search(bob, { q: 'login', limit: 5 })).experiences).toEqual([]);
    expect(foreign.id).toBeDefined();
  });

  it('an experience search finds everything in a new index, whichever call started it', async () => {
    await using world = await openLearnedFixture();
    const ids = [(await world.record()).id, (await world.record({ intent: 'Login two' })).id];
    const found = async () =>
      (await world.experiences.search(ann, { q: 'login', limit: 9 })).experiences.map(({ id }) => id).sort();
    for (let n = 0; n < 2; n++) {
      world.index.lose();
      expect(await found()).toEqual(ids);
    }
    world.index.lose();
    await world.index.remove([]);
    expect(await found()).toEqual(ids);
  });
});

it('records and removes experiences without the index, and logs a warning', async () => {
  await using world = await openLearnedFixture();
  const kept = await world.record();
  world.index.isBroken = true;
  const { id } = await world.record({ intent: 'Another wish' });
  await world.experiences.remove(ann, kept.id);
  expect(await world.experiences.list(ann, page)).toMatchObject({ experiences: [{ id }], total: 1 });
  expect(world.warnings).toEqual([
    'the index could not be searched for similar experiences',
    'the index could not be updated with an experience',
    'the index could not be updated with an experience',
  ]);
  world.index.isBroken = false;
  world.index.lose();
  const { experiences } = await world.experiences.search(ann, { q: 'wish time', limit: 5 });
  expect(experiences.map((found) => found.id)).toEqual([id]);
});
