import { describe, expect, it } from 'vitest';
import type { Origin } from '../../../../src/contract/experiences.ts';
import { ada, ann, bob, openLearnedFixture } from './learned-fixture.ts';

const untrustedOrigin: Origin = { kind: 'task', userId: ann.userId, taskId: 'task_1', trusted: false };
const dark = { category: 'theme', value: 'dark' };
const light = { category: 'theme', value: 'light' };

describe('a preference', () => {
  it('each repetition of a preference halves the doubt and never reaches certainty', async () => {
    await using world = await openLearnedFixture();
    const first = await world.preferences.track(ann, dark);
    expect(first).toEqual({
      id: expect.stringMatching(/^pref_/),
      userId: ann.userId,
      ...dark,
      confidence: 0.5,
      count: 1,
      origin: { kind: 'user', userId: ann.userId, trusted: true },
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    });
    world.advanceDays(1);
    const second = await world.preferences.track(ann, { category: ' Theme', value: 'ＤＡＲＫ ' });
    expect(second).toEqual({ ...first, confidence: 0.75, count: 2, updatedAt: '2026-01-02T00:00:00.000Z' });
    for (let n = 0; n < 100; n++) await world.preferences.track(ann, dark);
    const [only, ...others] = await world.preferences.list(ann, 'me');
    expect(others).toEqual([]);
    expect(only).toMatchObject({ count: 102 });
    expect(only?.confidence).toBeGreaterThan(0.99);
    expect(only?.confidence).toBeLessThan(1);
  });

  it('counts a thousand concurrent repetitions as one preference', async () => {
    await using world = await openLearnedFixture();
    await Promise.all(Array.from({ length: 1000 }, () => world.preferences.track(ann, dark)));
    expect(await world.preferences.list(ann, 'me')).toMatchObject([{ count: 1000 }]);
  });

  it('lowers the confidence when another value of its category is tracked', async () => {
    await using world = await openLearnedFixture();
    await world.preferences.track(ann, dark);
    await world.preferences.track(ann, dark);
    await world.preferences.track(ann, { category: 'editor', value: 'vim' });
    await world.preferences.track(bob, dark);
    await world.preferences.track(ann, light);
    expect(await world.preferences.list(ann, 'me')).toMatchObject([
      { value: 'light', confidence: 0.5 },
      { value: 'vim', confidence: 0.5 },
      { value: 'dark', confidence: 0.375 },
    ]);
    expect(await world.preferences.list(bob, 'me')).toMatchObject([{ value: 'dark', confidence: 0.5 }]);
  });

  it('untrusted text does not change a preference', async () => {
    await using world = await openLearnedFixture();
    await world.preferences.track(ann, dark);
    await world.preferences.track(ann, dark, untrustedOrigin);
    const planted = await world.preferences.track(ann, light, untrustedOrigin);
    expect(planted.origin).toEqual(untrustedOrigin);
    expect(await world.preferences.list(ann, 'me')).toMatchObject([
      { ...light, confidence: 0.5, count: 1, origin: { trusted: false } },
      { ...dark, confidence: 0.5, count: 2, origin: { trusted: true } },
    ]);
    expect(await world.preferences.track(ann, light)).toMatchObject({
      count: 2,
      origin: { kind: 'user', trusted: true },
    });
    expect(await world.preferences.list(ann, 'me')).toMatchObject([
      { confidence: 0.75 },
      { confidence: 0.25 },
    ]);
  });

  it('tracking a preference checks the write gate first', async () => {
    await using world = await openLearnedFixture();
    await expect(
      world.preferences.track(ann, { category: 'password', value: 'hunter2!' }),
    ).rejects.toMatchObject({ code: 'validation' });
    expect(await world.preferences.list(ann, 'me')).toEqual([]);
  });

  it('limits preferences to five thousand but still counts repetitions', async () => {
    await using world = await openLearnedFixture();
    await world.preferences.track(ann, dark);
    const [row] = await world.database.read.selectFrom('preferences').selectAll().execute();
    await world.database.write(async (transaction) => {
      for (let n = 1; n < 5000; n++)
        transaction.insertLater('preferences', { ...row, id: `pref_${n}`, value_key: `${n}` });
    });
    await expect(world.preferences.track(ann, light)).rejects.toMatchObject({ code: 'wrong_state' });
    await expect(world.preferences.track(ann, dark)).resolves.toMatchObject({ count: 2 });
  });
});

describe('preferences of others', () => {
  const unknown = { code: 'not_found', message: 'User not found' };

  it('hides preferences of others from a user', async () => {
    await using world = await openLearnedFixture();
    const { id } = await world.preferences.track(ann, dark);
    for (const userId of [ann.userId, 'user_nobody']) {
      await expect(world.preferences.list(bob, userId)).rejects.toMatchObject(unknown);
      await expect(world.preferences.track(bob, { ...dark, userId })).rejects.toMatchObject(unknown);
      await expect(world.preferences.remove(bob, userId, id)).rejects.toMatchObject(unknown);
    }
    await expect(world.preferences.remove(bob, 'me', id)).rejects.toMatchObject({
      code: 'not_found',
      message: 'Preference not found',
    });
    expect(await world.preferences.list(ann, ann.userId)).toMatchObject([{ id, count: 1 }]);
  });

  it('lets an administrator track preferences of others and records the administrator as origin', async () => {
    await using world = await openLearnedFixture();
    const tracked = await world.preferences.track(ada, { ...dark, userId: ann.userId });
    expect(tracked).toMatchObject({ userId: ann.userId, origin: { kind: 'user', userId: ada.userId } });
    expect(await world.preferences.list(ada, ann.userId)).toEqual([tracked]);
    expect(await world.preferences.list(ada, 'me')).toEqual([]);
    for (const act of [
      () => world.preferences.list(ada, 'user_nobody'),
      () => world.preferences.track(ada, { ...dark, userId: 'user_nobody' }),
    ])
      await expect(act()).rejects.toMatchObject(unknown);
    await world.preferences.remove(ada, ann.userId, tracked.id);
    expect(await world.preferences.list(ann, 'me')).toEqual([]);
  });
});
